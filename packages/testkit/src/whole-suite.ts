/** `npm run test:real` without --short says so: CI's sample leaves out what costs much and says little more. */
export const isWhole = Boolean(process.env.CAPSTAN_LONG);

/** A reason to skip, told in the test's result. */
export const onlyWhole = isWhole ? false : "left to the long form: CAPSTAN_LONG=1";

/** Rows of a table of which each is a program's start: all, or one in three. */
export function sampleOf<Row>(rows: readonly Row[]): readonly Row[] {
  return isWhole ? rows : rows.filter((_, index) => index % 3 === 0);
}
