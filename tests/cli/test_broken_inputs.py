"""Every broken input: one sentence, exit code 2, no traceback, nothing written."""

import pytest

from backstay.cli import main
from broken_inputs import make_broken_inputs


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("broken")
    return folder, make_broken_inputs(folder)


def test_one_sentence_and_nothing_written(inputs, capfd, tmp_path, monkeypatch):
    folder, cases = inputs
    assert len(cases) >= 60
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("backstay.cli._run._study", lambda *given: pytest.fail("it ran"))
    wrong = []
    for case in cases:
        with pytest.raises(SystemExit) as stop:
            main(["run", str(folder / case.name), *case.options])
        out, err = capfd.readouterr()
        fine = (
            stop.value.code == 2
            and err.startswith("backstay: ")
            and err.count("\n") == 1
            and err.rstrip().endswith((".", "?"))
            and case.words in err
            and out == ""
            and "Traceback" not in err
        )
        if not fine:
            wrong.append(f"{case.name} {' '.join(case.options)}: {stop.value.code} {out}{err}")
    assert not wrong, "\n".join(wrong)
    assert list(tmp_path.iterdir()) == []
