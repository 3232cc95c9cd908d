# The command and its server, from what a release has built: GOOS/GOARCH/sparsekm. In a clone:
#
#	CGO_ENABLED=0 go build -trimpath -o bin/linux/amd64/ ./cmd/sparsekm ./cmd/sparsekm-serve && cp LICENSE NOTICE bin && docker build -f Dockerfile -t sparsekm bin
#	docker run --rm -v "$PWD:/work" sparsekm info model.skm
FROM scratch
ARG TARGETPLATFORM=linux/amd64
COPY $TARGETPLATFORM/sparsekm $TARGETPLATFORM/sparsekm-serve /
COPY LICENSE NOTICE /
WORKDIR /work
ENTRYPOINT ["/sparsekm"]
