import { type HostApi, type HostReply, type HostRequest, pageOf } from "./host-server.ts";
import {
  type BranchSketch,
  type HostedSketch,
  lookUp,
  type PullSketch,
  type RepositorySketch,
} from "./hosted.ts";

const missing: HostReply = { status: 404, body: { message: "not found" } };

/** Gitea's REST API below /api/v1 for one organization (https://docs.gitea.com/api/). */
export function giteaApi({ owner, token, repositories }: HostedSketch): HostApi {
  return (request) => {
    const { path, headers } = request;
    const [, , kind, first, second, what, ...rest] = path.split("/").slice(1).map(decodeURIComponent);
    if (kind === "version") return { body: { version: "1.22.0" } };
    if (token !== undefined && headers.authorization !== `token ${token}`)
      return { status: 401, body: { message: "token is required" } };
    if (kind === "orgs" && first === owner && second === "repos")
      return paged(
        request,
        repositories.map((one) => repository(owner, one)),
      );
    const found =
      kind === "repos" && first === owner ? repositories.find(({ name }) => name === second) : undefined;
    if (!found) return missing;
    const name = rest.join("/");
    const { branches = [], pulls = [], topics = [] } = found;
    if (what === "labels")
      return paged(
        request,
        topics.map((one) => ({ name: one })),
      );
    if (what === "pulls") return paged(request, pulls.map(pull));
    if (what === "branches" && name === "") return paged(request, branches.map(branch));
    if (what === "branches") {
      const one = branches.find((each) => each.name === name);
      return one ? { body: branch(one) } : missing;
    }
    const at = lookUp(
      branches.find((each) => each.name === request.query.get("ref")),
      name,
    );
    if (what !== "contents" || at === undefined) return missing;
    return { body: at === "file" ? { type: "file", path: name } : [{ type: "file", path: `${name}/x` }] };
  };
}

function paged({ query, own, path }: HostRequest, items: readonly unknown[]): HostReply {
  const page = Math.max(Number(query.get("page") ?? 1), 1);
  const size = Math.min(Number(query.get("limit") ?? 30) || 30, 50);
  const { items: body, hasMore } = pageOf(items, { page, size });
  const link = hasMore ? { link: `<${own}${path}?page=${page + 1}&limit=${size}>; rel="next"` } : {};
  return { headers: { ...link, "x-total-count": String(items.length) }, body };
}

function repository(owner: string, { name, id, defaultBranch, isArchived = false }: RepositorySketch) {
  return {
    id,
    name,
    owner: { login: owner },
    html_url: `https://gitea.example/${owner}/${name}`,
    ssh_url: `git@gitea.example:${owner}/${name}.git`,
    clone_url: `https://gitea.example/${owner}/${name}.git`,
    default_branch: defaultBranch ?? "main",
    empty: defaultBranch === undefined,
    archived: isArchived,
  };
}

const branch = ({ name, sha }: BranchSketch) => ({ name, commit: { id: sha } });

function pull({ number, title, author, branch: head, target, sha, labels = [] }: PullSketch) {
  return {
    id: 1000 + number,
    number,
    title,
    user: { login: author, username: author },
    head: { ref: head, sha },
    base: { ref: target, sha },
    labels: labels.map((name, id) => ({ id, name })),
  };
}
