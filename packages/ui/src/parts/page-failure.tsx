import { paths } from "../paths.ts";
import { Anchor } from "../primitives/anchor.tsx";
import { Button } from "../primitives/button.tsx";
import { Problem } from "../primitives/problem.tsx";

export function NotFound() {
  return (
    <main className="lone">
      <h1>There is no such page</h1>
      <p>
        The address may be from another version.{" "}
        <Anchor href={paths.applications()}>Go to the applications</Anchor>
      </p>
    </main>
  );
}

export function PageFailure({ error }: { error: unknown }) {
  return (
    <main className="lone">
      <Problem
        title="This page could not be shown"
        failure={error}
        next={<Button onClick={() => window.location.reload()}>Load it again</Button>}
      />
    </main>
  );
}
