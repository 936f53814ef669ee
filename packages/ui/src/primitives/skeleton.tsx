import { type ReactNode, useEffect, useState } from "react";

const patienceMs = 300;

/** Shows nothing for a moment, so that quick answers do not flicker. */
export function Later({ children }: { children: ReactNode }) {
  const [due, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return due ? children : null;
}

export function SkeletonRows({ rows, height = 36 }: { rows: number; height?: number }) {
  return (
    <Later>
      <div className="skeletons" aria-hidden="true">
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows without any identity of their own
          <div className="skeleton" style={{ height }} key={row} />
        ))}
      </div>
    </Later>
  );
}
