import { CapstanError, readRepositoryAddress, withoutUserinfo } from "@capstan/model";

/** The repository in an address of a base elsewhere; nothing in one that git is not asked for (kustomize api/internal/git repospec.go). */
export function repositoryOf(address: string): string | undefined {
  const text = address.replace(/^git::/, "").replace(/\?.*$/, "");
  const whole = /^[a-z+]+:\/\/|^[^/@]+@[^/:]+:/i.test(text) ? text : `https://${text}`;
  const named = /^(.*?\.git)(?:\/|$)/.exec(whole)?.[1];
  if (named !== undefined) return named;
  const azure = /^(.*?\/_git\/[^/]+)/.exec(whole)?.[1];
  if (azure !== undefined) return azure;
  const marked = /^(.*[^:/])\/\//.exec(whole)?.[1];
  if (marked !== undefined) return marked;
  const scp = /^([^/@]+@[^/:]+:[^/]+\/[^/]+)/.exec(whole)?.[1];
  if (scp !== undefined && !whole.includes("://")) return scp;
  return /^([a-z+]+:\/\/[^/]+\/[^/]+\/[^/]+)/i.exec(whole)?.[1];
}

/** An address of a base or a file elsewhere (kustomize api/internal/git repospec.go). */
export interface RemoteAddress {
  /** Where it can be asked for by HTTP. */
  url: string | undefined;
  /** Where git finds it; undefined where that is no repository. */
  repository: string | undefined;
  /** Directory in the repository. */
  path: string;
  /** Branch, tag or commit; "": HEAD. */
  revision: string;
  /** Its spelling says that it is a repository. */
  isMarked: boolean;
}

/** undefined: it is but the name of a file that is missing. */
export function readRemote(address: string): RemoteAddress | undefined {
  const [text = "", query = ""] = address.replace(/^git::/, "").split("?", 2);
  const isUrl = /^[a-z+]+:\/\//i.test(text);
  const isShort = !isUrl && /^[^/@]+@[^/:]+:/.test(text);
  const whole = isUrl || isShort ? text : `https://${text}`;
  const repository = repositoryOf(address);
  if (repository === undefined && !isUrl) return undefined;
  // Git would read folders of this machine, and two programs a doubtful address in two ways.
  if (/^file:/i.test(whole) || !readRepositoryAddress(whole)) {
    const problem = `the address of a base "${withoutUserinfo(address)}" is no address of a host, or could mean several places; write it without "..", "%" and "\\"`;
    throw new CapstanError({ code: "INVALID_ARGUMENT", field: "resources", problem });
  }
  const parameters = new URLSearchParams(query);
  return {
    url: /^https?:/i.test(text) ? address : undefined,
    repository,
    path: whole.slice(repository?.length ?? whole.length).replace(/^\/{1,2}/, ""),
    revision: parameters.get("ref") ?? parameters.get("version") ?? "",
    isMarked: isMarked(address, whole),
  };
}

function isMarked(address: string, whole: string): boolean {
  return (
    address.startsWith("git::") ||
    /[?&](ref|version)=/.test(address) ||
    /\.git(\/|$)|[^:/]\/\/|\/_git\//.test(whole) ||
    !/^https?:\/\//i.test(address)
  );
}
