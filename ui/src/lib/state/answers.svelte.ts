import { SvelteMap, SvelteSet } from "svelte/reactivity";
import { answerText, faultOf, pairsOf, valueFrom, type Fault } from "../answer";
import type { AnswerFault, Field, Piece } from "../ipc/bindings";

/** What one question was filled in with. */
export class Form {
  #typed = new SvelteMap<string, string>();
  /** The values of an answer that was staged, by key, each as JSON text. */
  #staged = $state.raw(new Map<string, string>());
  /** Fields that somebody left, and so are checked. */
  #left = new SvelteSet<string>();
  #faults = new SvelteMap<string, Piece[]>();

  constructor(answer = "{}") {
    this.#staged = pairsOf(answer);
  }

  /** Takes the values of an answer in place of what is there. */
  fill(answer: string): void {
    this.#typed.clear();
    this.#left.clear();
    this.#faults.clear();
    this.#staged = pairsOf(answer);
  }

  value(field: Field): string {
    return this.#typed.get(field.key) ?? valueFrom(field, this.#staged.get(field.key));
  }

  write(field: Field, value: string): void {
    this.#typed.set(field.key, value);
    // What was said about the value before isn't about this one.
    this.#left.delete(field.key);
    this.#faults.delete(field.key);
  }

  leave(field: Field): void {
    this.#left.add(field.key);
  }

  /** What the window has to say about a field, once it was left. */
  fault(field: Field): Fault | null {
    return this.#left.has(field.key) ? faultOf(field, this.value(field)) : null;
  }

  /** What the core had to say about it. */
  told(field: Field): Piece[] | null {
    return this.#faults.get(field.key) ?? null;
  }

  /** The core's faults; what it says about a field goes when the field is changed. */
  tell(faults: AnswerFault[]): void {
    this.#faults.clear();
    for (const fault of faults) {
      const before = this.#faults.get(fault.field);
      this.#faults.set(fault.field, before ? [...before, { t: "text", s: " " }, ...fault.text] : fault.text);
    }
  }

  /** What fits no field that is shown. */
  toldOfWhole(fields: Field[]): Piece[][] {
    const keys = fields.map((field) => field.key);
    return [...this.#faults].flatMap(([key, text]) => (keys.includes(key) ? [] : [text]));
  }

  /** The first field that can't be sent as it is. */
  first(fields: Field[]): Field | null {
    return fields.find((field) => faultOf(field, this.value(field)) !== null) ?? null;
  }

  answer(fields: Field[]): string {
    return answerText(fields, (field) => this.value(field));
  }
}

/** Questions that were begun and not sent, by request. */
export class Answers {
  #forms = new Map<string, Form>();

  /** The form of a request. It is kept while the request is open, whichever row is looked at meanwhile. */
  of(id: string): Form {
    const known = this.#forms.get(id);
    if (known !== undefined) return known;
    const form = new Form();
    this.#forms.set(id, form);
    return form;
  }

  /** A staged answer was taken back: its values are in the form again, also when another window or another start typed them. */
  takeBack(id: string, answer: string): void {
    this.of(id).fill(answer);
  }

  /** Nothing that was typed is kept for what closed. */
  forget(id: string): void {
    this.#forms.delete(id);
  }
}
