import type { RestRepoCreds, RestRepository } from "@capstan/wire";
import { ActionButton, DeleteButton, DialogButton } from "../../parts/forms/rightful.tsx";
import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Listing } from "../../primitives/listing.tsx";
import { MiddleCut } from "../../primitives/middle-cut.tsx";
import {
  deleteRepository,
  deleteRepositoryTemplate,
  testRepository,
  useRepositories,
  useRepositoryTemplates,
} from "../../queries/places.ts";
import { Connection } from "./connection.tsx";
import { RepositoryForm, TemplateForm } from "./repository-forms.tsx";

const resource = "repositories";

/** As policies name a repository. */
const objectOf = ({ repo, project }: RestRepository) => (project ? `${project}/${repo}` : repo);

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
            dialog={(close) => <RepositoryForm onClose={close} />}
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
      <DialogButton
        right={{ resource, action: "update", object: objectOf(one) }}
        label="Change…"
        about={repo}
        dialog={(close) => <RepositoryForm stored={one} onClose={close} />}
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
          dialog={(close) => <TemplateForm onClose={close} />}
        />
      }
      columns={[
        { label: "Every repository below", cell: ({ url }) => <MiddleCut text={url} /> },
        { label: "User", cell: ({ username }) => username ?? "–" },
        { label: "", cell: (one: RestRepoCreds) => <TemplateActions stored={one} /> },
      ]}
      empty={<p>One template gives every repository of an organization the same credentials.</p>}
    />
  );
}

function TemplateActions({ stored }: { stored: RestRepoCreds }) {
  const { url } = stored;
  return (
    <>
      <DialogButton
        right={{ resource, action: "update", object: url }}
        label="Change…"
        about={url}
        dialog={(close) => <TemplateForm stored={stored} onClose={close} />}
      />
      <DeleteButton
        right={{ resource, action: "delete", object: url }}
        what={`template ${url}`}
        consequence="Repositories below it that have no credentials of their own may no longer be readable."
        act={() => deleteRepositoryTemplate(url)}
      />
    </>
  );
}
