#!/bin/bash
# A run in ten parts, as a SLURM job array:
#
#     bash examples/slurm_array.sh cells.csv diagnosis
#
# submits the array, and a job that puts the parts together when all of them have ended well. If one
# fails or runs out of time, that job is dropped. Nothing is lost: submit the same again, and every
# part continues.
set -euo pipefail
table=$1 target=$2 out=${3:-results} parts=${4:-10}
options="--target $target --repeats 100 --seed 0"

array=$(
    sbatch --parsable --array=1-"$parts" --cpus-per-task=4 --mem=8G --time=04:00:00 \
        --wrap "backstay run $table $options -o $out --jobs 4 --shard \$SLURM_ARRAY_TASK_ID/$parts"
)
# The run without --shard finds all tasks done and writes the report.
sbatch --dependency=afterok:"$array" --kill-on-invalid-dep=yes --cpus-per-task=1 --mem=8G --time=00:30:00 \
    --wrap "backstay merge $out/shard-*-of-$parts.db -o $out/study.db &&
            backstay run $table $options -o $out --jobs 1"
