# The jar is built beforehand: mvn package && docker build -t fdtable .
# The base image needs a Java 25 runtime and bash; bash is used only here, while the image is built.
ARG BASE_IMAGE=eclipse-temurin:25-jre

FROM ${BASE_IMAGE} AS layers
LABEL org.opencontainers.image.title="fdtable"
WORKDIR /build
COPY target/fdtable-*.jar app.jar
RUN ["java", "-Djarmode=tools", "-jar", "app.jar", "extract", "--layers", "--destination", "layers"]

FROM ${BASE_IMAGE}
LABEL org.opencontainers.image.title="fdtable" \
      org.opencontainers.image.description="Virtual Linux file-descriptor tables over HTTP, exact to the last errno" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.base.name="eclipse-temurin:25-jre"
WORKDIR /app
# What changes least comes first.
COPY --from=layers /build/layers/dependencies/ ./
COPY --from=layers /build/layers/snapshot-dependencies/ ./
COPY src/main/docker/jvm.options ./
COPY --from=layers /build/layers/application/ ./
# The cache holds the paths and times of the jars, so it is made where they will run.
COPY src/main/docker/train.sh /tmp/
RUN ["bash", "/tmp/train.sh"]

# A number, so that Kubernetes can tell that it is not root.
USER 65532:65532
EXPOSE 8080
# For memory only; what the AOT cache depends on is in jvm.options.
ENV JAVA_TOOL_OPTIONS="-XX:MaxRAMPercentage=60"
ENTRYPOINT ["java", "@jvm.options", "-XX:AOTCache=app.aot", "-jar", "app.jar"]
