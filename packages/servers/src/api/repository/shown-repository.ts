import { type Repository, withoutUserinfo } from "@capstan/model";
import type { ConnectionState, RestRepository } from "@capstan/wire";

/** What may be shown of a repository: never a password, key or token. */
export function shownRepository(repository: Repository, connectionState?: ConnectionState): RestRepository {
  const { url, type, name, project, username, insecure, enableLfs, proxy, noProxy, depth } = repository;
  return {
    repo: url,
    type: type ?? "git",
    ...(name ? { name } : {}),
    ...(project ? { project } : {}),
    ...(username ? { username } : {}),
    ...(insecure ? { insecure } : {}),
    ...(enableLfs ? { enableLfs } : {}),
    ...(proxy ? { proxy: withoutUserinfo(proxy) } : {}),
    ...(noProxy ? { noProxy } : {}),
    ...(depth === undefined ? {} : { depth }),
    ...(connectionState ? { connectionState } : {}),
  };
}
