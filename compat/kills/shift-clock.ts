/** Loaded before a program (`node --import`): its clock is wrong by SHIFT_CLOCK_MS. */
const shiftMs = Number(process.env.SHIFT_CLOCK_MS);
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [target.now() + shiftMs] : args, newTarget),
  apply: () => new RealDate(RealDate.now() + shiftMs).toString(),
  get: (target, name) => (name === "now" ? () => target.now() + shiftMs : Reflect.get(target, name)),
});
