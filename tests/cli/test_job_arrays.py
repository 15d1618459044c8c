"""The examples for schedulers: what they would run, and, where Snakemake is installed, its run."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from backstay.results import Results
from reference.study import contents

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
# In an environment of its own: it holds back other packages.
SNAKEMAKE = shutil.which("snakemake") or shutil.which(
    ROOT / ".venv" / "snakemake" / "bin" / "snakemake"
)


def put(folder, name, text):
    path = folder / name
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)


def run(*arguments, cwd, path):
    return subprocess.run(
        [str(a) for a in arguments],
        cwd=cwd,
        env=os.environ | {"PATH": f"{path}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_the_slurm_script_submits_all_parts_then_the_merge(tmp_path):
    # SLURM runs the wrapped text with a shell, once for every number of the array.
    put(
        tmp_path,
        "sbatch",
        'numbers=1; for a in "$@"; do case $a in --array=*) numbers=$(seq ${a#*=1-});; esac; done\n'
        'for n in $numbers; do SLURM_ARRAY_TASK_ID=$n bash -c "${@: -1}" >> log; done; echo 7',
    )
    put(tmp_path, "backstay", "echo $@")
    done = run(
        "bash", EXAMPLES / "slurm_array.sh", "t.csv", "y", "out", 3, cwd=tmp_path, path=tmp_path
    )
    assert done.returncode == 0, done.stderr
    fixed = "run t.csv --target y --repeats 100 --seed 0 -o out"
    assert (tmp_path / "log").read_text().splitlines() == [
        *(f"{fixed} --jobs 4 --shard {n}/3" for n in (1, 2, 3)),
        "merge out/shard-*-of-3.db -o out/study.db",
        f"{fixed} --jobs 1",
    ]


@pytest.mark.skipif(SNAKEMAKE is None, reason="needs snakemake (make snakemake)")
def test_the_snakemake_example_gives_the_results_of_one_run(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(24, 8)), columns=[f"g{j}" for j in range(8)])
    frame.assign(y=np.repeat(["a", "b"], 12)).to_csv(tmp_path / "t.csv", index=False)
    put(tmp_path, "backstay", f'exec "{sys.executable}" -m backstay "$@"')
    options = "--methods t,f --repeats 3 --null 1 --planning 0 --sizes 2 --seed 0"
    done = run(
        SNAKEMAKE, "-s", EXAMPLES / "shards.smk", "--cores", 1, "--config", "table=t.csv",
        "target=y", "parts=2", "out=out", f"options={options}",
        cwd=tmp_path, path=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "report.html").stat().st_size > 1000
    once = run(
        "backstay", "run", "t.csv", "-t", "y", *options.split(), "-o", "one", "--jobs", 1,
        cwd=tmp_path, path=tmp_path,
    )  # fmt: skip
    assert once.returncode == 0, once.stderr
    found, expected = (Results.load(tmp_path / name / "study.db") for name in ("out", "one"))
    assert contents(found) == contents(expected)
