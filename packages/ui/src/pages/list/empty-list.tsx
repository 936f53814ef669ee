import { useMayCreate } from "../../parts/forms/create-right.ts";
import { paths } from "../../paths.ts";
import { Anchor } from "../../primitives/anchor.tsx";
import { Button } from "../../primitives/button.tsx";
import { CommandLine } from "../../primitives/command-line.tsx";
import { type ListView, withoutFilters } from "./list-view.ts";

const firstCommand =
  "capstan app create guestbook --repo https://github.com/argoproj/argocd-example-apps --path guestbook --dest-namespace guestbook --sync-option CreateNamespace=true --sync-policy automated";

export function NoApplications() {
  const mayCreate = useMayCreate();
  return (
    <section className="empty">
      <h2>No applications yet</h2>
      <p>
        An application says what to deploy (a directory of a git repository, a chart), from where, and into
        which cluster and namespace. Capstan renders it, compares it with the cluster, and shows here what
        differs.
      </p>
      <p>Make the first one with a command:</p>
      <CommandLine text={firstCommand} />
      <p>
        or with <code>kubectl apply</code> of an Argo CD Application
        {mayCreate && (
          <>
            , or <Anchor href={paths.newApplication()}>fill in a form</Anchor>
          </>
        )}
        .
      </p>
    </section>
  );
}

export function NothingMatches({ view, onChange }: { view: ListView; onChange(view: ListView): void }) {
  return (
    <section className="empty">
      <h2>Nothing matches these filters</h2>
      <Button onClick={() => onChange(withoutFilters(view))}>Show all applications</Button>
    </section>
  );
}
