# The platform, to be run as docs/how-to/run-in-docker.md says:
#     docker build -f docker/platform.Dockerfile -t mazzo .
# BASE needs Python 3.11 or newer with venv and pip.
ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS installed
# Where pip looks, as its own variables say it; wheels in docker/wheels are found in any case.
ARG PIP_INDEX_URL=
ARG PIP_EXTRA_INDEX_URL=
ARG PIP_NO_INDEX=
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_FIND_LINKS=/wheels
COPY docker/wheels /wheels
COPY . /project
RUN python3 -m venv /opt/mazzo \
    && /opt/mazzo/bin/pip install "/project[server,postgres,docker]" \
    && /opt/mazzo/bin/pip uninstall --yes pip

FROM ${BASE}
COPY --from=installed /opt/mazzo /opt/mazzo
ENV PATH=/opt/mazzo/bin:$PATH MAZZO_HOME=/data LANG=C.UTF-8
RUN useradd --system --uid 10000 --no-create-home --home-dir /data mazzo \
    && install --directory --owner=mazzo --mode=0700 /data
USER mazzo
WORKDIR /data
VOLUME /data
STOPSIGNAL SIGTERM
ENTRYPOINT ["mazzo"]
CMD ["serve"]
