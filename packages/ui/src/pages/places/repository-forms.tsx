import type { RestRepoCreds, RestRepository } from "@capstan/wire";
import { FormDialog, type FormField, type FormValues } from "../../parts/forms/form-dialog.tsx";
import {
  createRepository,
  createRepositoryTemplate,
  updateRepository,
  updateRepositoryTemplate,
} from "../../queries/places.ts";

const ways = ["nothing", "password or token", "SSH key", "GitHub App"] as const;
type Way = (typeof ways)[number];

/** Fields that are asked for where this way in is chosen. */
function ofWay(way: Way, fields: readonly FormField[]): FormField[] {
  return fields.map((field) => ({ ...field, when: (values: FormValues) => values.way === way }));
}

const credentials: readonly FormField[] = [
  { name: "way", label: "Way in", kind: ways },
  ...ofWay("password or token", [
    { name: "username", label: "User", hint: "With a token of a provider anything but nothing" },
    { name: "password", label: "Password or token", kind: "secret", required: true },
  ]),
  ...ofWay("SSH key", [{ name: "sshPrivateKey", label: "Private key", kind: "text", required: true }]),
  ...ofWay("GitHub App", [
    { name: "githubAppID", label: "Id of the app" },
    { name: "githubAppInstallationID", label: "Id of its installation" },
    { name: "githubAppPrivateKey", label: "Its private key", kind: "text", required: true },
  ]),
];
const numbers: readonly string[] = ["githubAppID", "githubAppInstallationID"];

/** Of the way that was chosen: what was typed of another one does not count. */
function credentialsOf(values: FormValues) {
  const given = credentials.filter(({ name, when }) => when?.(values) && values[name]);
  return Object.fromEntries(
    given.map(({ name }) => [name, numbers.includes(name) ? Number(values[name]) : values[name]]),
  );
}

/** Secrets are not told: by what is. */
function wayOf(
  address: string,
  { username, githubAppID }: Pick<RestRepository, "username" | "githubAppID">,
): Way {
  if (githubAppID) return "GitHub App";
  if (/^ssh:|^[^/]+@/.test(address)) return "SSH key";
  return username ? "password or token" : "nothing";
}

interface Props<T> {
  /** What it is now; without it a new one is made. */
  stored?: T;
  onClose(): void;
}

export function RepositoryForm({ stored, onClose }: Props<RestRepository>) {
  const isNew = stored === undefined;
  const { type = "git", project = "", name = "", username = "", proxy = "" } = stored ?? {};
  const { insecure, githubAppID = "", githubAppInstallationID = "" } = stored ?? {};
  const app = { githubAppID: String(githubAppID), githubAppInstallationID: String(githubAppInstallationID) };
  return (
    <FormDialog
      title={isNew ? "Add a repository" : `Change ${stored.repo}`}
      verb={isNew ? "Add the repository" : "Change the repository"}
      {...(!isNew && { note: "What is secret, also of its proxy, is not shown: it has to be given again." })}
      start={{
        ...{ type, project, name, username, proxy },
        ...app,
        insecure: insecure ? "yes" : "",
        way: wayOf(stored?.repo ?? "", stored ?? {}),
      }}
      fields={[
        ...(isNew ? addressFields : []),
        { name: "name", label: "Name", when: ({ type }) => type !== "git" },
        { name: "project", label: "Project", hint: "Without one every project may use it" },
        ...credentials,
        {
          name: "proxy",
          label: "Proxy",
          hint: "http://proxy:3128, or with its login before the host",
        },
        { name: "insecure", label: "Do not check the server's certificate or key", kind: "check" },
      ]}
      onClose={onClose}
      submit={async (values) => {
        const wanted = repositoryOf(values, stored);
        await (isNew ? createRepository(wanted) : updateRepository(wanted));
      }}
    />
  );
}

const addressFields: readonly FormField[] = [
  { name: "repo", label: "URL", required: true, hint: "https, ssh, oci or file" },
  { name: "type", label: "Type", kind: ["git", "helm", "oci"] },
];

/** What the form does not show stays: large files, how deep it is fetched. */
function repositoryOf(values: FormValues, stored: RestRepository | undefined): RestRepository {
  const { connectionState: _state, inheritedCreds: _inherited, ...kept } = stored ?? { repo: "" };
  const { repo = kept.repo, type = "git", name, project, proxy, insecure } = values;
  const none = { username: "", githubAppID: 0, githubAppInstallationID: 0 };
  return {
    ...{ ...kept, ...none, repo, type },
    ...{ name: name ?? "", project: project ?? "", proxy: proxy ?? "", insecure: insecure === "yes" },
    ...credentialsOf(values),
  };
}

export function TemplateForm({ stored, onClose }: Props<RestRepoCreds>) {
  const isNew = stored === undefined;
  const { username = "" } = stored ?? {};
  return (
    <FormDialog
      title={isNew ? "Add a credential template" : `Change the template ${stored.url}`}
      verb={isNew ? "Add the template" : "Change the template"}
      {...(!isNew && {
        note: "The entry is written anew: what is not given here, its secret and a proxy too, it has no more.",
      })}
      start={{ username, way: isNew ? "password or token" : wayOf(stored.url, stored) }}
      fields={[...(isNew ? [beginning] : []), ...credentials]}
      onClose={onClose}
      submit={async (values) => {
        const given = credentialsOf(values);
        await (isNew
          ? createRepositoryTemplate({ ...given, url: values.url ?? "" })
          : updateRepositoryTemplate({
              ...given,
              url: stored.url,
              ...(stored.type && { type: stored.type }),
            }));
      }}
    />
  );
}

const beginning: FormField = {
  name: "url",
  label: "Beginning of the URLs",
  required: true,
  hint: "https://github.com/acme is for every repository below it",
};
