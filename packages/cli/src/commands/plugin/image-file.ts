/** Where the plugin lies in its image; the sockets' folder and that of plugin.yaml are Argo CD's. */
export const imageHome = "/home/argocd/cmp-server";

/**
 * A Dockerfile for a built folder. With a plugin.yaml the image serves Argo CD's own `argocd-cmp-server` too, which an
 * init container brings: the file is where that reads it, the scripts are on PATH.
 */
export function dockerfileOf({ name, hasConfig }: { name: string; hasConfig: boolean }): string {
  const forStock = hasConfig
    ? `
# For argocd-cmp-server in the place of plugin.js: it reads this file, and finds the scripts on PATH.
RUN mkdir -p ${imageHome}/config && ln -s ${imageHome}/plugin/plugin.yaml ${imageHome}/config/plugin.yaml
ENV PATH=${imageHome}/plugin:$PATH
`
    : "";
  return `# docker build -t ${name} .
# Any image with Node 20 or later, and with the programs that the plugin starts.
ARG BASE=docker.io/library/node:24-slim
FROM \${BASE}
COPY . ${imageHome}/plugin
# The folder of the sockets, which Argo CD's repo-server shares; its containers run as user 999.
RUN mkdir -p ${imageHome}/plugins && chown 999:999 ${imageHome}/plugins
${forStock}USER 999
ENTRYPOINT ["node", "${imageHome}/plugin/plugin.js"]
`;
}
