# Two images of one build: `services` runs in production, `lab` has the simulators and never does.
FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
        libpq-dev librabbitmq-dev libcurl4-openssl-dev libnghttp2-dev libssl-dev libsodium-dev libmicrohttpd-dev \
        libsqlite3-dev libplist-dev libzip-dev pkg-config \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
RUN swift build -c release --static-swift-stdlib --product mobile-delivery \
    && swift build -c release --static-swift-stdlib --product mobile-delivery-lab \
    && mkdir /programs \
    && cp .build/release/mobile-delivery .build/release/mobile-delivery-lab /programs/

FROM debian:12-slim AS libraries
RUN apt-get update && apt-get install -y --no-install-recommends \
        ca-certificates libpq5 librabbitmq4 libcurl4 libnghttp2-14 libssl3 libsodium23 libmicrohttpd12 libsqlite3-0 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home mobile-delivery \
    # A volume that is mounted here takes over the owner: the simulator writes keys that the senders read.
    && install -d -o 10001 -m 0750 /etc/mobile-delivery
WORKDIR /app
COPY topology topology

FROM libraries AS lab
RUN apt-get update && apt-get install -y --no-install-recommends libplist3 libzip4 && rm -rf /var/lib/apt/lists/*
COPY --from=build /programs/mobile-delivery-lab /usr/local/bin/
USER 10001
ENTRYPOINT ["mobile-delivery-lab"]

# Last, so that a build without a target makes it.
FROM libraries AS services
COPY --from=build /programs/mobile-delivery /usr/local/bin/
USER 10001
ENTRYPOINT ["mobile-delivery"]
CMD ["help"]
