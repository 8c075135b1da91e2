# The same lab as an image: one non-root user, set up by the same `make setup` as on a reader's own machine.
# Runs alone (see README), under Binder, and as a JupyterHub's single-user server.
FROM debian:trixie-slim

# A site with a package mirror or a certificate of its own passes these; left out, they change nothing.
ARG PIP_INDEX_URL
ARG PIP_CERT
ARG REQUESTS_CA_BUNDLE

# make and venv set the lab up; procps, util-linux and binutils look at a hung JVM from outside; git is for readers.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
       binutils ca-certificates git make procps python3 python3-venv util-linux \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 reader

USER 1000
WORKDIR /home/reader/safepoint-lab
ENV PATH=/home/reader/safepoint-lab/.venv/bin:$PATH
COPY --chown=reader:reader . .
RUN make setup

EXPOSE 8888
CMD ["jupyter", "lab", "--config=scripts/jupyter_server.py", "--ServerApp.ip=0.0.0.0", "--no-browser"]
