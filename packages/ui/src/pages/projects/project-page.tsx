import type { AppProject } from "@capstan/model";
import type { OutOf, Routes } from "@capstan/wire";
import { useParams } from "wouter";
import { objectText } from "../../parts/code/object-text.ts";
import { YamlDialog } from "../../parts/forms/lazy-yaml.tsx";
import { DeleteButton, DialogButton } from "../../parts/forms/rightful.tsx";
import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import { deleteProject, updateProject, useProject } from "../../queries/places.ts";
import { goTo } from "../../url-state.ts";
import { EffectiveRights } from "./effective-rights.tsx";
import { ProjectRoles } from "./project-roles.tsx";
import { ProjectWindows } from "./project-windows.tsx";
import { projectIn } from "./projects-page.tsx";

type Detailed = OutOf<Routes["getDetailedProject"]>;

export function ProjectPage() {
  const { name = "" } = useParams<{ name?: string }>();
  const { data, error, isPending } = useProject(name);
  return (
    <div className="listing">
      <div className="listing-head">
        <h1>{name}</h1>
        <Anchor href={paths.applications({ project: name })}>Applications</Anchor>
        {data && <ProjectActions project={data.project} />}
      </div>
      {error && <Problem title={`Project ${name} cannot be read`} failure={error} />}
      {isPending && <SkeletonRows rows={6} />}
      {data && <ProjectDetails {...data} />}
    </div>
  );
}

function ProjectActions({ project }: { project: AppProject }) {
  const { name } = project.metadata;
  const right = (action: string) => ({ resource: "projects", action, object: name });
  return (
    <>
      <DeleteButton
        right={right("delete")}
        what={`project ${name}`}
        consequence="The server refuses it as long as an application is in the project."
        act={async () => {
          await deleteProject(name);
          goTo(paths.projects());
        }}
      />
      <DialogButton
        right={right("update")}
        label="Edit…"
        look="primary"
        dialog={(close) => (
          <YamlDialog
            schema="app-project"
            title={`Project ${name}`}
            verb="Write the project"
            start={objectText(project, { noise: false, status: false })}
            onClose={close}
            submit={async (value) => {
              const wanted = projectIn(value);
              // Refused where somebody else has written it meanwhile.
              const { resourceVersion } = project.metadata;
              const metadata = { ...wanted.metadata, ...(resourceVersion && { resourceVersion }) };
              await updateProject({ ...wanted, metadata });
            }}
          />
        )}
      />
    </>
  );
}

function ProjectDetails({ project, globalProjects, repositories, clusters }: Detailed) {
  const { spec } = project;
  return (
    <>
      {spec.description && <p>{spec.description}</p>}
      <h2>What it may deploy</h2>
      <Rules spec={spec} />
      {globalProjects?.map(({ metadata, spec: added }) => (
        <section key={metadata.name} className="listing-part">
          <h3>
            Added by global project <Anchor href={paths.project(metadata.name)}>{metadata.name}</Anchor>
          </h3>
          <Rules spec={added} />
        </section>
      ))}
      <h2>Sync windows</h2>
      <ProjectWindows windows={spec.syncWindows ?? []} />
      <ProjectRoles project={project} />
      <EffectiveRights project={project.metadata.name} />
      {(repositories?.length ?? 0) + (clusters?.length ?? 0) > 0 && (
        <>
          <h2>Its own</h2>
          <ul>
            {repositories?.map(({ repo }) => (
              <li key={repo}>repository {repo}</li>
            ))}
            {clusters?.map(({ name, server }) => (
              <li key={server}>
                cluster {name} ({server})
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

const kinds = (rules: readonly { group: string; kind: string; name?: string }[] | undefined) =>
  rules?.map(({ group, kind, name }) => `${group ? `${group}/` : ""}${kind}${name ? ` ${name}` : ""}`);

function Rules({ spec }: { spec: AppProject["spec"] }) {
  const rules: readonly (readonly [string, readonly string[] | undefined])[] = [
    ["From", spec.sourceRepos],
    [
      "Into",
      spec.destinations?.map(
        ({ server, name, namespace }) =>
          `${namespace || "every namespace"} on ${name || server || "any cluster"}`,
      ),
    ],
    ["Applications in", spec.sourceNamespaces],
    ["Of the cluster, only", kinds(spec.clusterResourceWhitelist)],
    ["Of the cluster, not", kinds(spec.clusterResourceBlacklist)],
    ["In namespaces, only", kinds(spec.namespaceResourceWhitelist)],
    ["In namespaces, not", kinds(spec.namespaceResourceBlacklist)],
    ["Signed by", spec.signatureKeys?.map(({ keyID }) => keyID)],
    [
      "As",
      spec.destinationServiceAccounts?.map(
        ({ defaultServiceAccount, namespace, server }) =>
          `${defaultServiceAccount} in ${namespace || "every namespace"} on ${server}`,
      ),
    ],
  ];
  const always = ["From", "Into"];
  return (
    <dl className="fact-list">
      {rules
        .filter(([label, values]) => values?.length || always.includes(label))
        .map(([label, values]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{values?.length ? values.map((value) => <div key={value}>{value}</div>) : "nothing"}</dd>
          </div>
        ))}
    </dl>
  );
}
