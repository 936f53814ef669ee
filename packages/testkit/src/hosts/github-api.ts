import { type HostApi, type HostReply, type HostRequest, pageOf, requireKnown } from "./host-server.ts";
import {
  type BranchSketch,
  type HostedSketch,
  lookUp,
  type PullSketch,
  type RepositorySketch,
} from "./hosted.ts";

/**
 * GitHub Enterprise Server's REST API below /api/v3, as far as its documentation says what a client of organizations,
 * branches, contents and pull requests is answered (https://docs.github.com/en/enterprise-server/rest).
 */
export function githubApi({ owner, token, repositories }: HostedSketch, { pageSize = 100 } = {}): HostApi {
  return (request) => {
    const { method, path, headers } = request;
    if (token !== undefined && headers.authorization !== `Bearer ${token}`)
      return { status: 401, body: { message: "Bad credentials" } };
    if (method !== "GET") return { status: 405, body: { message: "Not this way" } };
    const parts = path.split("/").slice(1).map(decodeURIComponent);
    const [api, version, kind, first, second, what, ...rest] = parts;
    if (api !== "api" || version !== "v3") return missing;
    const list = (items: readonly unknown[], known: readonly string[] = []) =>
      requireKnown(request, ["per_page", "page", ...known]) ?? paged(request, items, pageSize);
    if (kind === "orgs" && first === owner && second === "repos" && what === undefined)
      return list(repositories.map((one) => repository(owner, one)));
    const found =
      kind === "repos" && first === owner ? repositories.find(({ name }) => name === second) : undefined;
    if (!found) return missing;
    if (what === "pulls" && rest.length === 0)
      return list((found.pulls ?? []).map(pull), ["state", "head", "base", "sort", "direction"]);
    if (what === "branches" && rest.length === 0)
      return list((found.branches ?? []).map(branch), ["protected"]);
    if (what === "branches")
      return single(
        request,
        found.branches?.find(({ name }) => name === rest.join("/")),
      );
    if (what === "contents") return contents(request, found, rest.join("/"));
    return missing;
  };
}

const missing: HostReply = { status: 404, body: { message: "Not Found" } };

function paged(request: HostRequest, items: readonly unknown[], pageSize: number): HostReply {
  const { query, own, path } = request;
  const page = Number(query.get("page") ?? 1);
  const size = Math.min(Number(query.get("per_page") ?? 30), pageSize);
  const { items: body, hasMore } = pageOf(items, { page, size });
  const next = new URLSearchParams(query);
  next.set("page", String(page + 1));
  const link = hasMore ? { link: `<${own}${path}?${next}>; rel="next", <${own}${path}>; rel="first"` } : {};
  const etag = `W/"${Buffer.from(JSON.stringify(body)).toString("base64url").slice(-60)}"`;
  if (request.headers["if-none-match"] === etag) return { status: 304, headers: { etag, ...link } };
  return { headers: { etag, ...link }, body };
}

function single(request: HostRequest, found: BranchSketch | undefined): HostReply {
  return (
    requireKnown(request, []) ??
    (found ? { body: branch(found) } : { status: 404, body: { message: "Branch not found" } })
  );
}

function contents(
  request: HostRequest,
  { branches = [], defaultBranch }: RepositorySketch,
  path: string,
): HostReply {
  const refused = requireKnown(request, ["ref"]);
  if (refused) return refused;
  const ref = request.query.get("ref") ?? defaultBranch;
  const kind = lookUp(
    branches.find(({ name }) => name === ref),
    path,
  );
  if (kind === undefined) return missing;
  const entry = { type: kind === "file" ? "file" : "dir", path, name: path.split("/").at(-1) };
  return { body: kind === "file" ? { ...entry, encoding: "base64", content: "eA==" } : [entry] };
}

function repository(
  owner: string,
  { name, id, defaultBranch, isArchived = false, topics = [] }: RepositorySketch,
) {
  return {
    id,
    name,
    full_name: `${owner}/${name}`,
    owner: { login: owner, id: 1 },
    private: true,
    html_url: `https://github.example/${owner}/${name}`,
    clone_url: `https://github.example/${owner}/${name}.git`,
    ssh_url: `git@github.example:${owner}/${name}.git`,
    default_branch: defaultBranch ?? "main",
    archived: isArchived,
    topics,
  };
}

const branch = ({ name, sha }: BranchSketch) => ({
  name,
  commit: { sha, url: "https://x" },
  protected: false,
});

function pull({ number, title, author, branch: head, target, sha, labels = [] }: PullSketch) {
  return {
    number,
    title,
    state: "open",
    user: { login: author },
    head: { ref: head, sha },
    base: { ref: target, sha: "0".repeat(40) },
    labels: labels.map((name, id) => ({ id, name })),
  };
}
