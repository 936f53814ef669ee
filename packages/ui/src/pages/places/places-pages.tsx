import type { ReactNode } from "react";
import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { StateTag } from "../../primitives/glyph.tsx";
import { MiddleCut } from "../../primitives/middle-cut.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
import type { StateLook } from "../../primitives/states.ts";
import { useClusters, useProjects, useRepositories } from "../../queries/places.ts";

interface ListingProps<T> {
  title: string;
  query: { error: Error | null; isPending: boolean };
  items: readonly T[] | undefined;
  columns: readonly { label: string; cell(item: T): ReactNode }[];
  keyOf(item: T): string;
  empty: ReactNode;
}

function Listing<T>({ title, query, items, columns, keyOf, empty }: ListingProps<T>) {
  return (
    <div className="listing">
      <h1>{title}</h1>
      {query.error && <Problem title={`${title} cannot be read`} failure={query.error} />}
      {query.isPending && <SkeletonRows rows={5} />}
      {items?.length === 0 && <section className="empty">{empty}</section>}
      {items && items.length > 0 && (
        <table className="data-table">
          <thead>
            <tr>
              {columns.map(({ label }) => (
                <th key={label}>{label}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <tr key={keyOf(item)}>
                {columns.map(({ label, cell }) => (
                  <td key={label}>{cell(item)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

const connectionLooks: Record<string, StateLook> = {
  Successful: { glyph: "disc", word: "Connected", tone: "good" },
  Failed: { glyph: "cross", word: "Failed", tone: "bad" },
  Unknown: { glyph: "question", word: "Not known", tone: "void" },
};

function Connection({ state }: { state: { status: string; message?: string } | undefined }) {
  const look = connectionLooks[state?.status ?? "Unknown"] ?? connectionLooks.Unknown;
  return look ? (
    <span title={state?.message}>
      <StateTag look={look} />
    </span>
  ) : null;
}

function ApplicationsLink({ search, text }: { search: Record<string, string>; text: string }) {
  return <Anchor href={paths.applications(search)}>{text}</Anchor>;
}

export function RepositoriesPage() {
  const query = useRepositories();
  return (
    <Listing
      title="Repositories"
      query={query}
      items={query.data && (query.data.items ?? [])}
      keyOf={({ repo, project = "" }) => `${repo} ${project}`}
      columns={[
        { label: "URL", cell: ({ repo }) => <MiddleCut text={repo} /> },
        { label: "Type", cell: ({ type }) => type || "git" },
        { label: "Project", cell: ({ project }) => project || "all" },
        { label: "Connection", cell: ({ connectionState }) => <Connection state={connectionState} /> },
        { label: "", cell: ({ repo }) => <ApplicationsLink search={{ q: repo }} text="Applications" /> },
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
  );
}

export function ClustersPage() {
  const query = useClusters();
  return (
    <Listing
      title="Clusters"
      query={query}
      items={query.data && (query.data.items ?? [])}
      keyOf={({ server }) => server}
      columns={[
        { label: "Name", cell: ({ name }) => name },
        { label: "Server", cell: ({ server }) => <MiddleCut text={server} /> },
        { label: "Version", cell: ({ info, serverVersion }) => info?.serverVersion ?? serverVersion ?? "–" },
        {
          label: "Connection",
          cell: ({ info, connectionState }) => (
            <Connection state={info?.connectionState ?? connectionState} />
          ),
        },
        {
          label: "Applications",
          cell: ({ name, info }) => (
            <ApplicationsLink search={{ cluster: name }} text={String(info?.applicationsCount ?? "show")} />
          ),
        },
      ]}
      empty={<p>No cluster is known.</p>}
    />
  );
}

export function ProjectsPage() {
  const query = useProjects();
  return (
    <Listing
      title="Projects"
      query={query}
      items={query.data && (query.data.items ?? [])}
      keyOf={({ metadata }) => metadata.name}
      columns={[
        { label: "Name", cell: ({ metadata }) => metadata.name },
        { label: "Description", cell: ({ spec }) => spec?.description ?? "" },
        { label: "Sources", cell: ({ spec }) => spec?.sourceRepos?.join(", ") ?? "none" },
        {
          label: "",
          cell: ({ metadata }) => (
            <ApplicationsLink search={{ project: metadata.name }} text="Applications" />
          ),
        },
      ]}
      empty={<p>There is no project, not even “default”. The server makes it at its start.</p>}
    />
  );
}
