/** The diff below is of git's text: what the cluster would fill in seems to be taken away. */
export function Unpredicted({ because }: { because: string | undefined }) {
  if (because === undefined) return null;
  return (
    <p className="note dim">
      The cluster does not say what this becomes ({because}): compared with what git says, without the
      cluster's defaults.
    </p>
  );
}
