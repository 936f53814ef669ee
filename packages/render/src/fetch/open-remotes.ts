import { GitSources, type GitSourcesOptions } from "./git-sources.ts";
import { HelmSources, type HelmSourcesOptions } from "./helm-sources.ts";
import { OciSources } from "./oci-sources.ts";
import { UnreachableHosts } from "./unreachable-hosts.ts";

type Options = Omit<GitSourcesOptions & HelmSourcesOptions, "hosts">;

/** Where sources come from over the network; what is known of hosts that do not answer, they share. */
export async function openRemotes(
  options: Options,
): Promise<{ git: GitSources; charts: HelmSources; artifacts: OciSources }> {
  const all = { ...options, hosts: new UnreachableHosts(options.clock) };
  return { git: await GitSources.open(all), charts: new HelmSources(all), artifacts: new OciSources(all) };
}
