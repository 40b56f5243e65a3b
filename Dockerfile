# One program on a small image with the certificates of public authorities, run by a user without rights.
FROM rust:1.95.0-slim-bookworm AS build
# The allocator and the TLS library bring C code.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev make perl \
    && rm -rf /var/lib/apt/lists/*
# The image has exactly this one, without the components that rust-toolchain.toml asks for.
ENV RUSTUP_TOOLCHAIN=1.95.0
WORKDIR /source
COPY . .
RUN cargo build --release --locked --package kollect \
    && mkdir /program \
    && cp target/release/kollect /program/kollect \
    # The name under which charts of earlier versions start the operator.
    && ln -s kollect /program/manager

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/*
# As a folder, so that the link stays a link.
COPY --from=build /program/ /
# By number, so that runAsNonRoot can be checked. Nothing but /tmp needs to be writable.
USER 65532:65532
EXPOSE 8081
ENTRYPOINT ["/kollect"]
CMD ["operator"]
