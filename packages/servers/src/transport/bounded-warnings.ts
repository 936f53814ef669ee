const [maxWarnings, maxLength] = [20, 300];

/** Hands on what a handler tells of a call that went well, as far as it finds room in headers. */
export function boundedWarnings(take: (text: string) => void): (text: string) => void {
  let left = maxWarnings;
  return (text) => {
    if (left > 0) take(text.slice(0, maxLength));
    left -= 1;
  };
}
