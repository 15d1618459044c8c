process BACKSTAY_RUN {
    tag "$meta.id"
    label 'process_medium'

    conda "${moduleDir}/environment.yml"
    container "${ params.backstay_container ?: 'backstay:0.1.0' }"

    input:
    tuple val(meta), path(table), path(samples)
    val target

    output:
    tuple val(meta), path("${prefix}/report.html")   , emit: report
    tuple val(meta), path("${prefix}/features.csv")  , emit: features
    tuple val(meta), path("${prefix}/results.json")  , emit: results
    tuple val(meta), path("${prefix}/signature.json"), emit: signature, optional: true
    tuple val(meta), path("${prefix}/study.db")      , emit: store
    path "versions.yml"                              , emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    def sheet = samples ? "--samples ${samples}" : ''
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    export NUMBA_CACHE_DIR="\$PWD/.numba"
    backstay run ${table} ${sheet} --target '${target}' --jobs ${task.cpus} --out ${prefix} --quiet ${args}

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        backstay: \$(backstay --version | sed 's/.* //')
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    mkdir ${prefix}
    touch ${prefix}/report.html ${prefix}/features.csv ${prefix}/results.json ${prefix}/signature.json ${prefix}/study.db

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        backstay: \$(backstay --version | sed 's/.* //')
    END_VERSIONS
    """
}
