import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { StateTag } from "../../primitives/glyph.tsx";
import { Problem } from "../../primitives/problem.tsx";
import { SkeletonRows } from "../../primitives/skeleton.tsx";
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
    <div className="listing">
      <div className="listing-head">
        <h1>ApplicationSets</h1>
        <WriteSet start={template} label="New ApplicationSet…" right="create" object="*/*" />
      </div>
      {error && <Problem title="ApplicationSets cannot be read" failure={error} />}
      {isPending && <SkeletonRows rows={5} />}
      {data && sets.length === 0 && (
        <section className="empty">
          <h2>No ApplicationSets</h2>
          <p>
            One definition makes many applications, of the folders of a repository for one:{" "}
            <code>capstan appset create set.yaml</code>
          </p>
        </section>
      )}
      {sets.length > 0 && (
        <table className="data-table">
          <thead>
            <tr>
              <th>Name</th>
              <th>State</th>
              <th>Project</th>
              <th>Generators</th>
              <th className="number">Applications</th>
              <th>Age</th>
            </tr>
          </thead>
          <tbody>
            {sets.map(({ name, namespace, look, problem, project, generators, count, createdAt }) => (
              <tr key={`${namespace}/${name}`}>
                <td>
                  <Anchor href={paths.applicationSet({ namespace, name })}>{name}</Anchor>
                </td>
                <td title={problem}>
                  <StateTag look={look} />
                </td>
                <td>{project}</td>
                <td>{generators}</td>
                <td className="number">{count}</td>
                <td>
                  <TimeAgo at={createdAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
