import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { StateTag } from "../../primitives/glyph.tsx";
import { Listing } from "../../primitives/listing.tsx";
import { TimeAgo } from "../../primitives/time-ago.tsx";
import { useApplicationSets } from "../../queries/application-sets.ts";
import { setFacts, setRank } from "./set-facts.ts";
import { WriteSet } from "./write-set.tsx";

const template = `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata:
  name: folders
spec:
  goTemplate: true
  generators:
    - git:
        repoURL: https://git.example.com/team/apps
        revision: HEAD
        directories: [{ path: "*" }]
  template:
    metadata: { name: "{{ .path.basename }}" }
    spec:
      project: default
      source: { repoURL: https://git.example.com/team/apps, path: "{{ .path.path }}", targetRevision: HEAD }
      destination: { server: https://kubernetes.default.svc, namespace: "{{ .path.basename }}" }
`;

/** Worst first, as the list of applications. */
export function ApplicationSetsPage() {
  const { data, error, isPending } = useApplicationSets();
  const sets = (data?.items ?? [])
    .map(setFacts)
    .sort((one, other) => setRank(one) - setRank(other) || (one.name < other.name ? -1 : 1));
  return (
    <Listing
      title="ApplicationSets"
      query={{ error, isPending }}
      items={data && sets}
      keyOf={({ namespace, name }) => `${namespace}/${name}`}
      actions={<WriteSet start={template} label="New ApplicationSet…" right="create" object="*/*" />}
      columns={columns}
      empty={
        <>
          <h2>No ApplicationSets</h2>
          <p>
            One definition makes many applications, of the folders of a repository for one:{" "}
            <code>capstan appset create set.yaml</code>
          </p>
        </>
      }
    />
  );
}

type Facts = ReturnType<typeof setFacts>;

const columns = [
  {
    label: "Name",
    cell: ({ name, namespace }: Facts) => (
      <Anchor href={paths.applicationSet({ namespace, name })}>{name}</Anchor>
    ),
  },
  {
    label: "State",
    cell: ({ look, problem }: Facts) => (
      <>
        <StateTag look={look} />
        {problem && <span className="cell-cause">{problem}</span>}
      </>
    ),
  },
  { label: "Project", cell: ({ project }: Facts) => project },
  { label: "Generators", cell: ({ generators }: Facts) => generators },
  { label: "Applications", cell: ({ count }: Facts) => count },
  { label: "Age", cell: ({ createdAt }: Facts) => <TimeAgo at={createdAt} /> },
];
