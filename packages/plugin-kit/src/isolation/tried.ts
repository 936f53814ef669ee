/** What the system shows of a path; nothing where it is not there (any more), or is closed to this process. */
export function tried<Found>(look: () => Found): Found | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof Error && "code" in error) return undefined;
    throw error;
  }
}
