import { lookup } from "node:dns/promises";
import { CapstanError, messageOf, type Repository, withoutUserinfo } from "@capstan/model";
import { isInnerAddress, isInnerHost, type ProxyVariables } from "@capstan/outbound";

/**
 * Rejects where a project's own repository, which a tenant may have written, goes by a proxy on this machine or in its
 * surroundings: what answers there is no proxy of his, and would be asked for whatever he names.
 */
export async function proxyVariables(repository: Repository): Promise<ProxyVariables> {
  const { proxy, noProxy, project } = repository;
  if (!proxy) return {};
  const host = URL.canParse(proxy) ? new URL(proxy) : undefined;
  if (project !== undefined && (!host || isInnerHost(host) || (await isInnerName(host.hostname)))) {
    const problem = `the proxy ${withoutUserinfo(proxy)} is an address of the machine on which Capstan runs, which a repository of a project may not use. A repository of no project may`;
    const what = `repository ${withoutUserinfo(repository.url)}`;
    throw new CapstanError({ code: "FAILED_PRECONDITION", what, problem });
  }
  return { http_proxy: proxy, https_proxy: proxy, ...(noProxy ? { no_proxy: noProxy } : {}) };
}

async function isInnerName(name: string): Promise<boolean> {
  try {
    return (await lookup(name, { all: true })).some(({ address }) => isInnerAddress(address));
  } catch (error) {
    // Nothing is reached by a name that is none.
    return !/ENOTFOUND|EAI_AGAIN/.test(messageOf(error));
  }
}
