import type { RestRepoCreds, RestRepository } from "@capstan/wire";
import { FormDialog, type FormField, type FormValues } from "../../parts/forms/form-dialog.tsx";
import { ActionButton, DeleteButton, DialogButton } from "../../parts/forms/rightful.tsx";
import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Listing } from "../../primitives/listing.tsx";
import { MiddleCut } from "../../primitives/middle-cut.tsx";
import {
  createRepository,
  createRepositoryTemplate,
  deleteRepository,
  deleteRepositoryTemplate,
  testRepository,
  useRepositories,
  useRepositoryTemplates,
} from "../../queries/places.ts";
import { Connection } from "./connection.tsx";

const resource = "repositories";

/** As policies name a repository. */
const objectOf = ({ repo, project }: RestRepository) => (project ? `${project}/${repo}` : repo);

/** What a secret of each way in is. */
const credentials: readonly FormField[] = [
  {
    name: "way",
    label: "Way in",
    kind: ["nothing", "password or token", "SSH key", "GitHub App"],
  },
  {
    name: "username",
    label: "User",
    hint: "With a token of a provider anything but nothing",
    when: isWay("password or token"),
  },
  { name: "password", label: "Password or token", kind: "secret", when: isWay("password or token") },
  { name: "sshPrivateKey", label: "Private key", kind: "text", when: isWay("SSH key") },
  { name: "githubAppID", label: "Id of the app", when: isWay("GitHub App") },
  { name: "githubAppInstallationID", label: "Id of its installation", when: isWay("GitHub App") },
  { name: "githubAppPrivateKey", label: "Its private key", kind: "text", when: isWay("GitHub App") },
];

function isWay(way: string) {
  return (values: FormValues) => values.way === way;
}

function credentialsOf(values: FormValues) {
  const texts = ["username", "password", "sshPrivateKey", "githubAppPrivateKey"] as const;
  const numbers = ["githubAppID", "githubAppInstallationID"] as const;
  return {
    ...Object.fromEntries(texts.flatMap((name) => (values[name] ? [[name, values[name]]] : []))),
    ...Object.fromEntries(numbers.flatMap((name) => (values[name] ? [[name, Number(values[name])]] : []))),
  };
}

function AddRepository({ onClose }: { onClose(): void }) {
  return (
    <FormDialog
      title="Add a repository"
      verb="Add the repository"
      start={{ type: "git", way: "nothing" }}
      fields={[
        { name: "repo", label: "URL", required: true, hint: "https, ssh, oci or file" },
        { name: "type", label: "Type", kind: ["git", "helm", "oci"] },
        { name: "name", label: "Name", when: ({ type }) => type !== "git" },
        { name: "project", label: "Project", hint: "Without one every project may use it" },
        ...credentials,
        { name: "insecure", label: "Do not check the server's certificate or key", kind: "check" },
      ]}
      onClose={onClose}
      submit={async (values) => {
        const { repo = "", type = "git", name, project, insecure } = values;
        await createRepository({
          repo,
          type,
          ...(name && { name }),
          ...(project && { project }),
          ...(insecure && { insecure: true }),
          ...credentialsOf(values),
        });
      }}
    />
  );
}

export function RepositoriesPage() {
  const query = useRepositories();
  return (
    <div className="listing">
      <Listing
        title="Repositories"
        query={query}
        items={query.data && (query.data.items ?? [])}
        keyOf={({ repo, project = "" }) => `${repo} ${project}`}
        actions={
          <DialogButton
            right={{ resource, action: "create", object: "*" }}
            label="Add a repository…"
            look="primary"
            dialog={(close) => <AddRepository onClose={close} />}
          />
        }
        columns={[
          { label: "URL", cell: ({ repo }) => <MiddleCut text={repo} /> },
          { label: "Type", cell: ({ type }) => type || "git" },
          { label: "Project", cell: ({ project }) => project || "all" },
          { label: "Connection", cell: ({ connectionState }) => <Connection state={connectionState} /> },
          { label: "", cell: (one) => <RepositoryActions one={one} /> },
        ]}
        empty={
          <>
            <h2>No repositories with credentials</h2>
            <p>
              Public repositories need no entry. For a private one:{" "}
              <code>capstan repo add URL --username … --password …</code>
            </p>
          </>
        }
      />
      <Templates />
    </div>
  );
}

function RepositoryActions({ one }: { one: RestRepository }) {
  const { repo, project } = one;
  return (
    <>
      <Anchor href={paths.applications({ q: repo })}>Applications</Anchor>{" "}
      <ActionButton
        right={{ resource, action: "get", object: objectOf(one) }}
        label="Test"
        about={repo}
        done={`${repo} can be reached`}
        act={() => testRepository(repo, project)}
      />
      <DeleteButton
        right={{ resource, action: "delete", object: objectOf(one) }}
        what={`repository ${repo}`}
        consequence="Applications keep their source. Without these credentials they may no longer be able to read it."
        act={() => deleteRepository(repo, project)}
      />
    </>
  );
}

function Templates() {
  const query = useRepositoryTemplates();
  return (
    <Listing
      title="Credential templates"
      level="part"
      query={query}
      items={query.data && (query.data.items ?? [])}
      keyOf={({ url }) => url}
      actions={
        <DialogButton
          right={{ resource, action: "create", object: "*" }}
          label="Add a template…"
          dialog={(close) => (
            <FormDialog
              title="Add a credential template"
              verb="Add the template"
              start={{ way: "password or token" }}
              fields={[
                {
                  name: "url",
                  label: "Beginning of the URLs",
                  required: true,
                  hint: "https://github.com/acme is for every repository below it",
                },
                ...credentials,
              ]}
              onClose={close}
              submit={async (values) => {
                await createRepositoryTemplate({ url: values.url ?? "", ...credentialsOf(values) });
              }}
            />
          )}
        />
      }
      columns={[
        { label: "Every repository below", cell: ({ url }) => <MiddleCut text={url} /> },
        { label: "User", cell: ({ username }) => username ?? "–" },
        { label: "", cell: (one: RestRepoCreds) => <DeleteTemplate url={one.url} /> },
      ]}
      empty={<p>One template gives every repository of an organization the same credentials.</p>}
    />
  );
}

function DeleteTemplate({ url }: { url: string }) {
  return (
    <DeleteButton
      right={{ resource, action: "delete", object: url }}
      what={`template ${url}`}
      consequence="Repositories below it that have no credentials of their own may no longer be readable."
      act={() => deleteRepositoryTemplate(url)}
    />
  );
}
