import { Component, type ReactNode } from "react";
import { paths } from "../paths.ts";
import { Anchor } from "../primitives/anchor.tsx";
import { Button } from "../primitives/button.tsx";
import { Problem } from "../primitives/problem.tsx";

export function NotFound() {
  return (
    <div className="lone">
      <h1>There is no such page</h1>
      <p>
        The address may be from another version.{" "}
        <Anchor href={paths.applications()}>Go to the applications</Anchor>
      </p>
    </div>
  );
}

interface Guarded {
  readonly failure?: unknown;
}

/** Shows what went wrong in a page's own code in its place. */
export class PageGuard extends Component<{ children: ReactNode }, Guarded> {
  override state: Guarded = {};

  static getDerivedStateFromError(failure: unknown): Guarded {
    return { failure };
  }

  override render(): ReactNode {
    const { failure } = this.state;
    return failure === undefined ? this.props.children : <PageFailure error={failure} />;
  }
}

function PageFailure({ error }: { error: unknown }) {
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
