/** How a container of Capstan runs; deploy/image/Dockerfile says the same. */
export const imageConfig = (version: string) => ({
  User: "999:999",
  Env: ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/capstan", "HOME=/data"],
  Entrypoint: ["/opt/capstan/capstan"],
  WorkingDir: "/data",
  Labels: { "org.opencontainers.image.title": "capstan", "org.opencontainers.image.version": version },
});
