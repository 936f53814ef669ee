import { type Settings, spellingOf } from "@capstan/kube";
import { CapstanError, isSameRepository, type Repository, withoutUserinfo } from "@capstan/model";
import type { Identity } from "../../call.ts";
import { type Rights, requireRight } from "../access/rights.ts";
import type { StoredSecret } from "./labelled-secrets.ts";
import type { RepositoryKind } from "./repository-kind.ts";

interface Needs {
  settings: { readonly current: Settings };
  rights: Rights;
  kind: RepositoryKind;
}

type Stored = Settings["repositories"][number];

/** `project/url` for repositories of one project, the URL alone for those of all. */
export function repositoryObject({ url, project }: Pick<Repository, "url" | "project">): string {
  return project ? `${project}/${url}` : url;
}

/** Also the other spellings of a URL, and that without the user and password with which it is stored. */
function isNamed(one: Stored, url: string): boolean {
  return isSameRepository(one.url, url, spellingOf(one)) || withoutUserinfo(one.url) === url.trim();
}

/** The repository of this URL and exactly this project. */
export function storedRepository(
  { settings, kind }: Pick<Needs, "settings" | "kind">,
  { url, project }: Pick<Repository, "url" | "project">,
): Stored | undefined {
  return kind.stored(settings.current).find((one) => one.project === project && isNamed(one, url));
}

interface Wanted {
  url: string;
  project: string | undefined;
  user: Identity;
  action: "get" | "update" | "delete";
  /** Also one of another project: it is to be moved to this. */
  elsewhere?: boolean;
}

/**
 * The repository that a request means among those with which the user may do this: of the project that it names
 * (to look at, also the one of all projects), else the one of all projects, else the only one. Of others it is not
 * even said that they are there.
 */
export function findRepository({ settings, rights, kind }: Needs, wanted: Wanted): Stored {
  const { url, project, user, action, elsewhere = false } = wanted;
  const { resource } = kind;
  const isMeant = (one: Stored) =>
    elsewhere ||
    project === undefined ||
    one.project === project ||
    (action === "get" && one.project === undefined);
  const found = kind
    .stored(settings.current)
    .filter((one) => isNamed(one, url) && isMeant(one))
    .filter((one) => rights.allows(user, { resource, action, object: repositoryObject(one) }));
  const exact = found.find((one) => one.project === project);
  const [first, second] = found;
  if (exact) return exact;
  if (first && !second) return first;
  const what = `repository "${withoutUserinfo(url)}"`;
  if (first) {
    const projects = found.map((one) => one.project).join(", ");
    const problem = `stands in several projects (${projects}); name one with appProject`;
    throw new CapstanError({ code: "FAILED_PRECONDITION", what, problem });
  }
  const object = repositoryObject({ url: withoutUserinfo(url), ...(project ? { project } : {}) });
  requireRight(rights, user, { resource, action, object });
  throw new CapstanError({ code: "NOT_FOUND", what });
}

export function secretOf({ url, project, secret }: Stored, type: StoredSecret["type"]): StoredSecret {
  return { secretName: secret.secretName, type, holds: { url, project: project ?? "" } };
}
