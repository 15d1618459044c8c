"""RDG1 row by row: the list is tried from its beginning for every row [Prat 5.3.2]."""


def label(X, sizes, boolean, rng):
    """Rule number of each row, and the list as lists of (feature, value, side)."""
    rules, numbers = [], []
    for row in X:
        covering = [
            number
            for number, rule in enumerate(rules)
            if all(_true(row, term, boolean) for term in rule)
        ]
        if not covering:
            covering = [len(rules)]
            features = rng.permutation(len(row))[: rng.randint(sizes[0], sizes[1] + 1)]
            if boolean:
                rules.append([(j, row[j], None) for j in features])
            else:
                values = rng.uniform(size=len(features))
                rules.append([(j, v, row[j] < v) for j, v in zip(features, values, strict=True)])
        numbers.append(covering[0])
    return numbers, rules


def _true(row, term, boolean):
    j, value, below = term
    if boolean:
        return row[j] == value
    return row[j] < value if below else row[j] >= value
