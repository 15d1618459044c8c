# docker build -t backstay . && docker run --rm -v "$PWD:/data" backstay run table.csv -t class
FROM python:3.12-slim AS build
WORKDIR /src
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12-slim
COPY --from=build /wheels /wheels
# The kernels are compiled once, into the image, and found there by whoever runs it.
ENV NUMBA_CACHE_DIR=/opt/backstay-cache
RUN pip install --no-cache-dir "$(echo /wheels/*.whl)[app,anndata]" \
    && backstay warm-up \
    && rm -rf /wheels \
    && chmod -R a+rX "$NUMBA_CACHE_DIR"
WORKDIR /data
ENTRYPOINT ["backstay"]
CMD ["--help"]
