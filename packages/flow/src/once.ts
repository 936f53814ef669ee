/**
 * Gives what it made before; what failed is made again. For what takes long to load, and most repositories do without:
 * the repo server's start waits for nothing that no application uses.
 */
export function once<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () => {
    const asked = made ?? make();
    made = asked;
    asked.catch(() => {
      if (made === asked) made = undefined;
    });
    return asked;
  };
}
