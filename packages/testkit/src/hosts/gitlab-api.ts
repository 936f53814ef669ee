import { type HostApi, type HostReply, type HostRequest, pageOf } from "./host-server.ts";
import { type BranchSketch, type HostedSketch, lookUp, type RepositorySketch } from "./hosted.ts";

const missing: HostReply = { status: 404, body: { message: "404 Not found" } };

/** GitLab's REST API below /api/v4 for one group and its projects (https://docs.gitlab.com/api/rest/). */
export function gitlabApi({ owner, token, repositories }: HostedSketch, { pageSize = 100 } = {}): HostApi {
  return (request) => {
    const { path, headers } = request;
    if (token !== undefined && headers["private-token"] !== token)
      return { status: 401, body: { message: "401 Unauthorized" } };
    const [, , kind, id = "", what, ...rest] = path.split("/").slice(1).map(decodeURIComponent);
    const list = (items: readonly unknown[]) => paged(request, items, pageSize);
    if (kind === "groups" && id === owner && what === "projects")
      return list(repositories.map((one) => project(owner, one)));
    const found = repositories.find((one) => String(one.id) === id || `${owner}/${one.name}` === id);
    if (kind !== "projects" || !found) return missing;
    if (what === undefined) return { body: project(owner, found) };
    if (what === "merge_requests") return list(mergeRequests(request, found));
    const [part, ...more] = rest;
    const name = more.join("/");
    if (part === "branches" && name === "") return list((found.branches ?? []).map(branch));
    if (part === "branches") {
      const one = found.branches?.find((each) => each.name === name);
      return one ? { body: branch(one) } : missing;
    }
    const at = found.branches?.find((each) => each.name === request.query.get("ref"));
    if (part === "files") return lookUp(at, name) === "file" ? { body: { file_name: name } } : missing;
    const folder = request.query.get("path") ?? "";
    return part === "tree" && lookUp(at, folder) === "folder" ? { body: [{ path: `${folder}/x` }] } : missing;
  };
}

function paged({ query }: HostRequest, items: readonly unknown[], pageSize: number): HostReply {
  const page = Number(query.get("page") ?? 1);
  const size = Math.min(Number(query.get("per_page") ?? 20), pageSize);
  const { items: body, hasMore } = pageOf(items, { page, size });
  const headers = {
    "x-page": String(page),
    "x-next-page": hasMore ? String(page + 1) : "",
    "x-total-pages": String(Math.ceil(items.length / size)),
  };
  return { headers, body };
}

function project(
  owner: string,
  { name, id, defaultBranch, topics = [], isArchived = false }: RepositorySketch,
) {
  return {
    id,
    path: name,
    name,
    namespace: { full_path: owner },
    ssh_url_to_repo: `git@gitlab.example:${owner}/${name}.git`,
    http_url_to_repo: `https://gitlab.example/${owner}/${name}.git`,
    default_branch: defaultBranch ?? null,
    topics,
    archived: isArchived,
  };
}

const branch = ({ name, sha }: BranchSketch) => ({ name, commit: { id: sha } });

function mergeRequests({ query }: HostRequest, { pulls = [] }: RepositorySketch) {
  const wanted = (query.get("labels") ?? query.get("labels[]") ?? "").split(",").filter((one) => one !== "");
  return pulls
    .filter(({ labels = [] }) => wanted.every((one) => labels.includes(one)))
    .map(({ number, title, author, branch: source, target, sha, labels = [] }) => ({
      id: 1000 + number,
      iid: number,
      title,
      author: { username: author },
      source_branch: source,
      target_branch: target,
      sha,
      labels,
    }));
}
