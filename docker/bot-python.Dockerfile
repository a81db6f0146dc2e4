# What bots in Python, and programs of their own, find around them with `--isolation docker`:
#     docker build -f docker/bot-python.Dockerfile -t mazzo-bot-python .
# BASE needs Python 3.11 or newer with pip, and Perl, as every Debian has.
ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS packages
# Where pip looks, as its own variables say it; wheels in docker/wheels are found in any case.
ARG PIP_INDEX_URL=
ARG PIP_EXTRA_INDEX_URL=
ARG PIP_NO_INDEX=
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
COPY docker/wheels /wheels
COPY pyproject.toml /project/
# The project as a whole would bring the platform along, which is nothing for bots to read.
RUN python3 -c "import tomllib; print('numpy>=1.26', *tomllib.load(open('/project/pyproject.toml', 'rb'))['project']['dependencies'], sep='\n')" > /project/needed \
    && python3 -m pip install --root-user-action=ignore --find-links /wheels --target /mazzo/lib --requirement /project/needed \
    && find /mazzo/lib -name tests -type d -prune -exec rm -r {} + \
    && rm -rf /mazzo/lib/bin
COPY sdk/mazzo /mazzo/lib/mazzo
RUN python3 -m compileall -q /mazzo/lib/mazzo \
    && mkdir /mazzo/bin \
    && ln -s "$(command -v python3)" /mazzo/bin/python \
    && ln -s "$(command -v python3)" /mazzo/bin/python3
COPY docker/bot-init /mazzo/init
RUN chmod 0755 /mazzo/init

FROM ${BASE}
COPY --from=packages /mazzo /mazzo
USER 10001:10001
WORKDIR /bot
ENTRYPOINT ["/mazzo/init"]
