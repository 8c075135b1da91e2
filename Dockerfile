# The lab as an image: software in /opt, which nobody writes to; the home folder holds a reader's work and nothing else.
# Runs alone under any user id (see docs/get.md), under Binder, and as a JupyterHub's single-user server.
FROM debian:trixie-slim

# A site with a package mirror or a certificate of its own passes these; left out, they change nothing.
ARG PIP_INDEX_URL
ARG PIP_CERT
ARG REQUESTS_CA_BUNDLE
# Binder's names for the user.
ARG NB_USER=jovyan
ARG NB_UID=1000

# procps, util-linux and binutils look at a hung JVM from outside. Arbitrary user ids come with group 0.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends binutils ca-certificates procps python3 python3-venv util-linux \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt/* /var/log/* \
    && useradd --create-home --shell /bin/bash --uid "$NB_UID" "$NB_USER" \
    && chgrp 0 "/home/$NB_USER" && chmod 2775 "/home/$NB_USER"

ENV PATH=/opt/safepoint-lab/.venv/bin:$PATH SAFEPOINTLAB_SHARED=/opt/safepointlab-shared

# Python's packages, each checked against the lock's hash. Left out: developers' tools, the packages' tests and sources of
# what is compiled, symbols for debuggers, other languages' dates and numbers, and a hub's own pages (the hub serves them).
WORKDIR /opt/safepoint-lab
COPY requirements.lock deploy/image/packages.py /opt/build/
RUN python3 -m venv .venv \
    && python3 /opt/build/packages.py < /opt/build/requirements.lock > /opt/build/packages.txt \
    && pip install --quiet --no-cache-dir --require-hashes -r /opt/build/packages.txt \
    && find .venv/lib -depth -type d -name tests -exec rm -r {} + \
    && find .venv \( -name '*.map' -o -name '*.c' -o -name '*.pyx' -o -name '*.a' \) -delete \
    && find .venv/lib -path '*/babel/locale-data/*.dat' ! -name 'en*' ! -name root.dat -delete \
    && find .venv/lib -name '*.so' ! -path '*.libs/*' -exec strip --strip-unneeded {} + \
    && rm -r .venv/share/jupyterhub/static/components

# The JDKs: a layer that a new version of the lab shares with the old one, unless their versions or their set-up change.
ARG JDKS=newest-if-gone
COPY safepointlab/__init__.py safepointlab/config.py safepointlab/errors.py safepointlab/lazy.py safepointlab/phrases.py \
     safepointlab/version.py /opt/build/safepointlab/
COPY safepointlab/process /opt/build/safepointlab/process
COPY safepointlab/jdks /opt/build/safepointlab/jdks
COPY deploy/image/jdks.py deploy/image/jdks.lock /opt/build/
RUN SAFEPOINTLAB_CACHE="$SAFEPOINTLAB_SHARED" python /opt/build/jdks.py "$JDKS" \
    && rm -rf "$SAFEPOINTLAB_SHARED/apt" "$SAFEPOINTLAB_SHARED/cjdk" \
    && find "$SAFEPOINTLAB_SHARED" ! -type l ! -perm -o=r -exec chmod a+rX {} +

# The project, last: it changes most often.
COPY . .
RUN pip install --quiet --no-cache-dir --no-deps --no-build-isolation --editable . \
    && SAFEPOINTLAB_CACHE="$SAFEPOINTLAB_SHARED" safepoint setup \
    && python -m compileall -qq safepointlab \
    && mkdir -p /etc/jupyter && cp deploy/image/jupyter_server_config.py /etc/jupyter/ \
    && cp deploy/image/start /usr/local/bin/start-lab && ln -s /tmp/safepoint-lab-build build \
    && rm -rf "$SAFEPOINTLAB_SHARED/apt" /opt/build \
    && find /opt /etc/jupyter ! -type l ! -perm -o=r -exec chmod a+rX {} + \
    && chmod a+rx /usr/local/bin/start-lab

# The lab itself replaces ~ by the home of whoever runs it.
ENV NB_USER=$NB_USER NB_UID=$NB_UID HOME=/home/$NB_USER SAFEPOINTLAB_WORK="~/safepoint-lab"
USER $NB_UID
WORKDIR /home/$NB_USER
EXPOSE 8888
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["sh", "-c", "python -c 'import sys, urllib.request as u; u.urlopen(sys.argv[1], timeout=4)' \"http://localhost:8888${JUPYTERHUB_SERVICE_PREFIX:-/}api\""]
ENTRYPOINT ["start-lab"]
CMD ["jupyter", "lab", "--no-browser"]

ARG VERSION
ARG REVISION
ARG SOURCE
LABEL org.opencontainers.image.title="Safepoint Lab" \
      org.opencontainers.image.description="Notebooks that make HotSpot's hidden behaviour visible" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION" \
      org.opencontainers.image.source="$SOURCE"
