"""One table in every format that is read, with samples in rows and with features in rows."""

import gzip

import h5py
import numpy as np
import pandas as pd
from scipy import sparse

TARGET = "diagnosis"


def example(n=24, d=8, seed=0):
    """Numbers with samples in rows, the sheet of the samples, and what is known of the genes."""
    rng = np.random.default_rng(seed)
    samples = [f"S{i:02d}" for i in range(n)]
    values = rng.normal(7, 2, (n, d))
    values[:, :2] += 3 * (np.arange(n) % 2)[:, None]
    values = values.round(12)  # Excel files have up to 16 digits
    values[rng.random((n, d)) < 0.2] = 0.0  # sparse formats have something to leave out
    numbers = pd.DataFrame(values, samples, [f"gene{j}" for j in range(d)])
    sheet = pd.DataFrame(
        {
            "sample": samples,
            TARGET: np.resize(["normal", "tumour"], n),
            "patient": [f"p{i // 2}" for i in range(n)],
        }
    )
    genes = pd.DataFrame({"symbol": [f"SYM{j}" for j in range(d)]}, index=numbers.columns)
    return numbers, sheet, genes


def write_every_format(folder, numbers, sheet, genes):
    """Write the table; return, by name, the path and what `read_table` needs to be told."""
    about = folder / "sheet.csv"
    sheet.to_csv(about, index=False)
    sheet.to_excel(folder / "sheet.xlsx", index=False)
    together = numbers.assign(**sheet.set_index("sample"))
    turned = numbers.T
    described = turned.copy()
    described.insert(0, "symbol", genes["symbol"])
    joined = {"samples": about}
    cells = {
        "feature_names": list(numbers.columns),
        "sample_names": list(numbers.index),
        "class_names": sorted(set(sheet[TARGET])),
        "y": pd.Categorical(sheet[TARGET]).codes.astype(int),
    }
    groups = np.array(sheet["patient"].str[1:], dtype=int)

    def path(name):
        return folder / name

    together.to_csv(path("rows.csv"), index_label="sample")
    together.to_csv(path("rows.tsv"), sep="\t", index_label="sample")
    together.T.to_csv(path("turned.txt"), sep=";", index_label="gene")
    numbers.to_csv(path("numbers.csv"), index_label="sample")
    turned.to_csv(path("genes.tsv"), sep="\t", index_label="gene")
    described.to_csv(path("genes.csv.gz"), index_label="gene")
    together.to_excel(path("rows.xlsx"), index_label="sample")
    turned.to_excel(path("genes.xlsx"), index_label="gene")
    together.T.to_excel(path("turned.xlsx"), index_label="gene")
    together.to_parquet(path("rows.parquet"))
    turned.to_parquet(path("genes.parquet"))
    np.savez(path("rows.npz"), X=numbers.to_numpy(), groups=groups, **cells)
    np.savez(
        path("genes.npz"),
        X=turned.to_numpy(),
        feature_names=list(turned.columns),
        sample_names=list(turned.index),
    )
    write_h5ad(path("dense.h5ad"), numbers, sheet.set_index("sample"), genes)
    write_h5ad(path("sparse.h5ad"), numbers, sheet.set_index("sample"), genes, "csr")
    write_gct(path("genes.gct"), numbers, genes)
    write_gct(path("v13.gct.gz"), numbers, genes, sheet.set_index("sample"))
    write_series_matrix(path("GSE1_series_matrix.txt.gz"), numbers, sheet.set_index("sample"))
    alone = {
        name: {}
        for name in (
            "rows.csv", "rows.tsv", "rows.xlsx", "rows.parquet", "rows.npz", "dense.h5ad",
            "sparse.h5ad", "v13.gct.gz", "GSE1_series_matrix.txt.gz",
        )
    }  # fmt: skip
    exchanged = {name: {"transpose": True} for name in ("turned.txt", "turned.xlsx")}
    two = dict.fromkeys(
        ("numbers.csv", "genes.tsv", "genes.csv.gz", "genes.parquet", "genes.npz", "genes.gct"),
        joined,
    )
    two["genes.xlsx"] = {"samples": folder / "sheet.xlsx"}
    return {name: (folder / name, more) for name, more in {**alone, **exchanged, **two}.items()}


def write_h5ad(path, numbers, obs, var, kind="array"):
    """Write what anndata would, of the parts that are read."""
    with h5py.File(path, "w") as file:
        file.attrs.update({"encoding-type": "anndata", "encoding-version": "0.1.0"})
        if kind == "array":
            file["X"] = numbers.to_numpy()
        else:
            X = sparse.csr_matrix(numbers.to_numpy())
            group = file.create_group("X")
            group.attrs.update({"encoding-type": f"{kind}_matrix", "shape": X.shape})
            for name in ("data", "indices", "indptr"):
                group[name] = getattr(X, name)
        file.create_group("layers")["twice"] = 2 * numbers.to_numpy()
        for name, table, index in (("obs", obs, numbers.index), ("var", var, numbers.columns)):
            group = file.create_group(name)
            order = np.array(list(table.columns), dtype=h5py.string_dtype())
            group.attrs.update({"_index": "_index", "column-order": order})
            group["_index"] = list(index)
            for column in table.columns:
                codes, names = pd.factorize(table[column])
                own = group.create_group(column)
                own["codes"], own["categories"] = codes.astype(np.int8), list(names)


def write_gct(path, numbers, genes, sheet=None):
    n, d = numbers.shape
    head = ["id" if sheet is not None else "NAME", "symbol", *numbers.index]
    sides = [d, n] if sheet is None else [d, n, 1, sheet.shape[1]]
    rows = ["#1.2" if sheet is None else "#1.3", "\t".join(map(str, sides)), "\t".join(head)]
    if sheet is not None:
        rows += ["\t".join([name, "na", *sheet[name]]) for name in sheet.columns]
    for name in numbers.columns:
        values = (repr(float(v)) for v in numbers[name])
        rows.append("\t".join([name, genes["symbol"][name], *values]))
    write_text(path, "\n".join(rows) + "\n")


def write_series_matrix(path, numbers, sheet, end="!series_matrix_table_end\n"):
    def quoted(cells):
        return "\t".join(f'"{cell}"' for cell in cells)

    lines = [
        '!Series_title\t"one table"',
        f'!Series_sample_id\t"{" ".join(numbers.index)}"',
        "",
        f"!Sample_title\t{quoted(f'title {name}' for name in numbers.index)}",
        f"!Sample_geo_accession\t{quoted(numbers.index)}",
    ]
    for name in sheet.columns:
        said = quoted(f"{name}: {value}" for value in sheet[name])
        lines.append(f"!Sample_characteristics_ch1\t{said}")
    lines += ["!series_matrix_table_begin", quoted(["ID_REF", *numbers.index])]
    for name in numbers.columns:
        lines.append("\t".join([f'"{name}"', *(repr(float(v)) for v in numbers[name])]))
    write_text(path, "\n".join(lines) + "\n" + end)


def write_text(path, text):
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
