# The image of the action, of the component and of the gateway. Classic-builder syntax, so that it builds without
# BuildKit. The released form names BASE by digest (tools/release); here a tag keeps local builds possible.
ARG BASE=python:3.11-slim-bookworm

# git alone, without perl and its 80 MB: the program, its https helper and those libraries that the two load and the
# base lacks. All goes below /usr, because /lib is a link into it and a folder of that name would replace the link.
FROM ${BASE} AS git
SHELL ["/bin/bash", "-euo", "pipefail", "-c"]
# hadolint ignore=DL3008
RUN find /usr/lib -name '*.so*' -exec readlink -f {} + | sort -u >/tmp/had; \
    if ! command -v git >/dev/null; then apt-get update -qq && apt-get install -y -qq --no-install-recommends git; fi; \
    mkdir -p /out/usr/bin /out/usr/lib/git-core; \
    cp -a /usr/bin/git /out/usr/bin/; \
    cp -a /usr/lib/git-core/git-remote-http /usr/lib/git-core/git-remote-https /out/usr/lib/git-core/; \
    for program in git upload-pack index-pack fetch-pack rev-list pack-objects unpack-objects; do \
      ln -sf /usr/bin/git "/out/usr/lib/git-core/git-${program}"; done; \
    ldd /usr/bin/git /usr/lib/git-core/git-remote-http | awk '$3 ~ /^\// {print $3}' | sort -u \
      | grep -v -e '/libc\.so' -e '/ld-linux' \
      | while read -r library; do \
          if grep -qxF "$(readlink -f "${library}")" /tmp/had; then continue; fi; \
          target="/out/usr${library#/usr}"; mkdir -p "$(dirname "${target}")"; cp -aL "${library}" "${target}"; done

# Exactly the locked packages, wheels only.
FROM ${BASE} AS text-packages
COPY tools/image-packages locks/text.lock /build/
RUN /build/image-packages /build/text.lock

FROM ${BASE} AS live-packages
COPY tools/image-packages locks/image.lock /build/
RUN /build/image-packages /build/image.lock

# Our own code, compiled once; a launcher that ignores the environment's Python settings.
FROM ${BASE} AS program
COPY aces_ci /out/opt/aces-ci/aces_ci
COPY fixtures/repos/demo.stream /out/opt/aces-ci/aces_ci/data/demo.stream
RUN python3 -m compileall -q -s /out /out/opt/aces-ci \
 && mkdir -p /out/usr/local/bin \
 && printf '#!/opt/aces/bin/python3 -I\nfrom aces_ci.__main__ import main\nmain()\n' > /out/usr/local/bin/aces-ci \
 && chmod 755 /out/usr/local/bin/aces-ci

# Tiers 1 and 2.
FROM ${BASE} AS text
COPY --from=git /out/ /
COPY --from=text-packages /opt/aces /opt/aces
COPY --from=program /out/ /
ENV PATH=/opt/aces/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 LC_ALL=C.UTF-8
# GitHub runs container actions as root and needs it for the workspace; what reads a change drops to nobody itself.
# hadolint ignore=DL3002
USER root
ENTRYPOINT ["/usr/local/bin/aces-ci"]
CMD ["run"]

# All tiers; the default target.
FROM ${BASE} AS full
COPY --from=git /out/ /
COPY --from=live-packages /opt/aces /opt/aces
COPY --from=program /out/ /
ENV PATH=/opt/aces/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 LC_ALL=C.UTF-8
# hadolint ignore=DL3002
USER root
ENTRYPOINT ["/usr/local/bin/aces-ci"]
CMD ["run"]
LABEL org.opencontainers.image.title="aces-ci" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/aces-ci/aces-ci"
