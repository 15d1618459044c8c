# A run in parts with Snakemake, on one machine or on whatever its profile names:
#
#     snakemake -s examples/shards.smk --cores 4 --config table=cells.csv target=diagnosis
#
# A part that was stopped continues where it was.

TABLE = config["table"]
TARGET = config["target"]
PARTS = int(config.get("parts", 10))
OUT = config.get("out", "results")
OPTIONS = config.get("options", "--repeats 100 --seed 0")
BACKSTAY = config.get("backstay", "backstay")


rule all:
    input:
        f"{OUT}/report.html",


rule shard:
    input:
        TABLE,
    output:
        # Not the store itself: Snakemake would delete it when the part is stopped.
        touch(f"{OUT}/parts/{{part}}.done"),
    threads: 1
    shell:
        "{BACKSTAY} run {input:q} --target {TARGET:q} {OPTIONS} -o {OUT:q} --quiet"
        " --jobs {threads} --shard {wildcards.part}/{PARTS}"


rule merge:
    input:
        expand(f"{OUT}/parts/{{part}}.done", part=range(1, PARTS + 1)),
    output:
        f"{OUT}/study.db",
    params:
        stores=[f"{OUT}/shard-{part}-of-{PARTS}.db" for part in range(1, PARTS + 1)],
    shell:
        "{BACKSTAY} merge {params.stores:q} -o {output:q}"


rule report:
    input:
        table=TABLE,
        store=f"{OUT}/study.db",
    output:
        f"{OUT}/report.html",
        f"{OUT}/features.csv",
        f"{OUT}/results.json",
    shell:
        # Without --shard: finds all tasks done, and writes the results.
        "{BACKSTAY} run {input.table:q} --target {TARGET:q} {OPTIONS} -o {OUT:q} --quiet --jobs 1"
