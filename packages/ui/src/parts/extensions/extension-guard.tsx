import { Component, type ReactNode } from "react";
import { Button } from "../../primitives/button.tsx";
import { Problem } from "../../primitives/problem.tsx";

interface Props {
  readonly title: string;
  readonly children: ReactNode;
}

interface State {
  readonly failed?: { readonly error: unknown } | undefined;
}

/** What an extension throws takes its own place and nothing else of the page. */
export class ExtensionGuard extends Component<Props, State> {
  override state: State = {};

  static getDerivedStateFromError(error: unknown): State {
    return { failed: { error } };
  }

  override render(): ReactNode {
    const { failed } = this.state;
    if (!failed) return this.props.children;
    return (
      <Problem
        title={`The extension “${this.props.title}” has failed`}
        failure={failed.error}
        next={<Button onClick={() => this.setState({ failed: undefined })}>Show it again</Button>}
      />
    );
  }
}
