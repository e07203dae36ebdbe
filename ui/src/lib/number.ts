/** A number from a field, in whole parts of which `parts` make one; nothing for an empty field. What isn't a number is passed over: the
 * browser marks it. */
export function entered(event: Event, parts: number, take: (value: number | null) => void) {
  const field = event.currentTarget as HTMLInputElement;
  const value = field.valueAsNumber;
  if (Number.isFinite(value)) take(Math.round(value * parts));
  else if (!field.validity.badInput) take(null);
}
