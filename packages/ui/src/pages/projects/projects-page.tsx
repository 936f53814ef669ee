import { isAppProject } from "@capstan/model";
import { YamlDialog } from "../../parts/forms/lazy-yaml.tsx";
import { DialogButton } from "../../parts/forms/rightful.tsx";
import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Listing } from "../../primitives/listing.tsx";
import { createProject, useProjects } from "../../queries/places.ts";

const template = `apiVersion: argoproj.io/v1alpha1
kind: AppProject
metadata:
  name: team
spec:
  description: What it is for
  sourceRepos:
    - https://git.example.com/team/*
  destinations:
    - server: https://kubernetes.default.svc
      namespace: team-*
`;

export function ProjectsPage() {
  const query = useProjects();
  return (
    <Listing
      title="Projects"
      query={query}
      items={query.data && (query.data.items ?? [])}
      keyOf={({ metadata }) => metadata.name}
      actions={
        <DialogButton
          right={{ resource: "projects", action: "create", object: "*" }}
          label="New project…"
          look="primary"
          dialog={(close) => (
            <YamlDialog
              schema="app-project"
              title="New project"
              verb="Create the project"
              start={template}
              onClose={close}
              submit={async (value) => {
                await createProject(projectIn(value));
              }}
            />
          )}
        />
      }
      columns={[
        {
          label: "Name",
          cell: ({ metadata }) => <Anchor href={paths.project(metadata.name)}>{metadata.name}</Anchor>,
        },
        { label: "Description", cell: ({ spec }) => spec?.description ?? "" },
        { label: "Sources", cell: ({ spec }) => spec?.sourceRepos?.join(", ") ?? "none" },
        { label: "Destinations", cell: ({ spec }) => spec?.destinations?.length ?? 0 },
        { label: "Windows", cell: ({ spec }) => spec?.syncWindows?.length ?? 0 },
        {
          label: "",
          cell: ({ metadata }) => (
            <Anchor href={paths.applications({ project: metadata.name })}>Applications</Anchor>
          ),
        },
      ]}
      empty={<p>There is no project, not even “default”. The server makes it at its start.</p>}
    />
  );
}

/** The server checks what it says; here it only has to be one. */
export function projectIn(value: unknown) {
  if (!isAppProject(value))
    throw new Error("This is no AppProject: apiVersion, kind, metadata.name and spec.");
  return value;
}
