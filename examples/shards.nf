// A run in parts with Nextflow, on whatever executor its configuration names:
//
//     nextflow run examples/shards.nf --table cells.csv --target diagnosis
//
// nextflow -resume runs only the parts that are missing.

params.table = null
params.target = null
params.parts = 10
params.out = 'results'
params.options = '--repeats 100 --seed 0'

process shard {
    cpus 4

    input:
    path table
    val part

    output:
    path "run/shard-${part}-of-${params.parts}.db"

    script:
    """
    backstay run ${table} --target '${params.target}' ${params.options} -o run \
        --jobs ${task.cpus} --shard ${part}/${params.parts}
    """
}

process merge {
    publishDir params.out, mode: 'copy'

    input:
    path table
    path stores

    output:
    path 'run/*'

    script:
    // The run without --shard finds all tasks done, and writes the results.
    """
    mkdir run
    backstay merge ${stores} -o run/study.db
    backstay run ${table} --target '${params.target}' ${params.options} -o run --jobs 1
    """
}

workflow {
    table = file(params.table, checkIfExists: true)
    parts = channel.of(1..params.parts)
    merge(table, shard(table, parts).collect())
}
