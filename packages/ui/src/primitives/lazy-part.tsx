import { type ComponentType, type ReactNode, useEffect, useState } from "react";
import { Button } from "./button.tsx";
import { Problem } from "./problem.tsx";
import { SkeletonRows } from "./skeleton.tsx";

/** As long as it cannot be had it is asked for again, so that it is there when the server is. */
const againMs = 4_000;

interface Waiting {
  rows: number;
  height?: number;
}

/** Something that is loaded once, for everybody who shows it. */
interface Loadable<Props extends object> {
  readonly name: string;
  readonly waiting: Waiting;
  load(): Promise<void>;
  loaded: ComponentType<Props> | undefined;
}

export interface LazyComponent<Props extends object> {
  (props: Props): ReactNode;
  /** Before it is shown, so that it is there by then. */
  load(): Promise<void>;
}

/**
 * A part of the page that comes when it is first shown. While the server is away its place says so, with the rest of
 * the page as it is, and asks again by itself; React's own lazy would keep the failure and take the page with it.
 */
export function lazyPart<Props extends object>(
  name: string,
  load: () => Promise<{ default: ComponentType<Props> }>,
  waiting: Waiting = { rows: 8, height: 44 },
): LazyComponent<Props> {
  const loadable: Loadable<Props> = {
    ...{ name, waiting, loaded: undefined },
    load: async () => {
      loadable.loaded = (await load()).default;
    },
  };
  return Object.assign((props: Props) => <LazyPart loadable={loadable} props={props} />, {
    load: loadable.load,
  });
}

function LazyPart<Props extends object>({ loadable, props }: { loadable: Loadable<Props>; props: Props }) {
  const [failure, setFailure] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  const [isThere, setIsThere] = useState(loadable.loaded !== undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt loads again
  useEffect(() => {
    if (isThere) return;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    loadable.load().then(
      () => {
        if (!isOver) setIsThere(true);
      },
      (problem: unknown) => {
        if (isOver) return;
        setFailure(problem);
        timer = setTimeout(() => setAttempt((count) => count + 1), againMs);
      },
    );
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [attempt, isThere, loadable]);
  const Part = loadable.loaded;
  if (Part) return <Part {...props} />;
  if (failure === undefined) return <SkeletonRows {...loadable.waiting} />;
  return <Absent name={loadable.name} failure={failure} onAgain={() => setAttempt((count) => count + 1)} />;
}

function Absent({ name, failure, onAgain }: { name: string; failure: unknown; onAgain(): void }) {
  return (
    <Problem
      title={`${name} has not come from the server yet`}
      failure={failure}
      next={
        <>
          <Button onClick={onAgain}>Try again</Button>{" "}
          <Button onClick={() => window.location.reload()}>Load the page anew</Button>
        </>
      }
    />
  );
}
