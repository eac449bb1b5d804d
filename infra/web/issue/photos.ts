import { MAX_PHOTOS, MAX_UPLOADS, PHOTO_TYPES } from '../../../shared/domain/issue-form/fields.ts';
import { Refused, Unreachable, uploadPhoto } from './send.ts';
import { shrink } from './shrink.ts';
import { fill, type Texts } from './texts.ts';

type State = 'preparing' | 'sending' | 'sent' | 'waiting' | 'refused';

interface Photo {
  slot: number;
  question: string;
  state: State;
  share: number;
  blob: Blob | undefined;
  /** The URL of its thumbnail. */
  shown: string | undefined;
  done: Promise<void>;
}

/** A photo as a draft keeps it. */
export interface KeptPhoto {
  slot: number;
  question: string;
  blob: Blob;
}

/** The photos of a report. They outlive the form, which the server may send again. */
export class Photos {
  readonly #page: string;
  #form: HTMLFormElement;
  #texts: Texts;
  #stamp: string;
  #photos: Photo[] = [];
  #nextSlot = 0;
  /** Photos are drawn one after the other: each takes much memory. */
  #queue: Promise<void> = Promise.resolve();
  readonly #onProblem: (text: string) => void;

  constructor(page: string, form: HTMLFormElement, texts: Texts, onProblem: (text: string) => void) {
    this.#page = page;
    this.#form = form;
    this.#texts = texts;
    this.#stamp = this.#stampOf(form);
    this.#onProblem = onProblem;
    this.#attach();
  }

  #stampOf(form: HTMLFormElement): string {
    return form.querySelector<HTMLInputElement>('[name=stamp]')!.value;
  }

  /** Goes on with another form, such as one in another language. Under a new stamp, all photos have to be sent again. */
  moveTo(form: HTMLFormElement, texts: Texts): void {
    const stamp = this.#stampOf(form);
    const kept = form.querySelector<HTMLInputElement>('[name=photos]')!.value;
    const isNew = stamp !== this.#stamp;
    this.#form = form;
    this.#texts = texts;
    this.#stamp = stamp;
    if (!isNew) {
      const slots = new Set(kept.split(',').map((part) => part.split(':')[0]));
      // The server has removed what it could not read.
      this.#photos = this.#photos.filter(({ slot, state }) => state !== 'sent' || slots.has(String(slot)));
    }
    this.#attach();
    for (const photo of this.#photos) if (isNew && photo.blob) this.#send(photo);
  }

  #attach(): void {
    for (const button of this.#form.querySelectorAll<HTMLButtonElement>('[data-question]')) {
      const input = document.createElement('input');
      input.type = 'file';
      input.accept = PHOTO_TYPES.join(',');
      input.multiple = true;
      input.onchange = () => this.#add([...(input.files ?? [])], button.dataset['question']!);
      // It replaces the way without a program.
      button.type = 'button';
      button.onclick = () => {
        input.value = '';
        input.click();
      };
    }
    this.#draw();
  }

  #add(files: readonly File[], question: string): void {
    const room = Math.max(0, Math.min(MAX_PHOTOS - this.#photos.length, MAX_UPLOADS - this.#nextSlot));
    if (files.length > room) this.#onProblem(fill(this.#texts.tooMany, { n: MAX_PHOTOS }));
    for (const file of files.slice(0, room)) {
      const photo: Photo = {
        slot: this.#nextSlot++,
        question,
        state: 'preparing',
        share: 0,
        blob: undefined,
        shown: undefined,
        done: Promise.resolve(),
      };
      this.#photos.push(photo);
      photo.done = this.#queue = this.#queue.then(() => this.#prepare(photo, file));
    }
    this.#draw();
  }

  async #prepare(photo: Photo, file: File): Promise<void> {
    if (!this.#photos.includes(photo)) return;
    try {
      const { blob, thumbnail } = await shrink(file);
      photo.blob = blob;
      photo.shown = URL.createObjectURL(thumbnail);
      this.#send(photo);
    } catch {
      this.#remove(photo);
      this.#onProblem(fill(this.#texts.unreadable, { name: file.name }));
    }
  }

  #send(photo: Photo): void {
    const { slot, blob } = photo;
    photo.state = 'sending';
    photo.share = 0;
    const stamp = this.#stamp;
    this.#draw();
    photo.done = uploadPhoto(this.#page, { stamp, slot, blob: blob! }, (share) => {
      photo.share = share;
      this.#show(photo);
    })
      .then(
        () => 'sent' as const,
        (error: unknown) => (error instanceof Refused ? ('refused' as const) : ('waiting' as const)),
      )
      .then((state) => {
        photo.state = state;
        this.#draw();
      });
  }

  #remove(photo: Photo): void {
    this.#photos = this.#photos.filter((each) => each !== photo);
    if (photo.shown) URL.revokeObjectURL(photo.shown);
    this.#draw();
  }

  /** Waits until every photo is sent. @throws Unreachable when one cannot be sent now, Refused when one never can */
  async ready(): Promise<void> {
    await this.#queue;
    for (const photo of this.#photos) if (photo.state === 'waiting') this.#send(photo);
    await Promise.all(this.#photos.map(({ done }) => done));
    if (this.#photos.some(({ state }) => state === 'refused')) throw new Refused();
    if (this.#photos.some(({ state }) => state !== 'sent')) throw new Unreachable();
  }

  /** Those that a draft keeps. */
  async kept(): Promise<KeptPhoto[]> {
    await this.#queue;
    return this.#photos.flatMap(({ slot, question, blob }) => (blob ? [{ slot, question, blob }] : []));
  }

  #labelOf({ state }: Photo, n: number): string {
    const { photo, sendingPhoto, sentPhoto, failed } = this.#texts;
    const text = {
      preparing: photo,
      sending: sendingPhoto,
      sent: sentPhoto,
      waiting: failed,
      refused: failed,
    };
    return fill(text[state], { n });
  }

  #show(photo: Photo): void {
    const bar = this.#form.querySelector<HTMLProgressElement>(`[data-slot="${photo.slot}"] progress`);
    if (bar) bar.value = photo.share;
  }

  #button(text: string, label: string, onClick: () => void): HTMLButtonElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'second small';
    button.textContent = text;
    button.setAttribute('aria-label', label);
    button.onclick = onClick;
    return button;
  }

  #item(photo: Photo, n: number): HTMLLIElement {
    const item = document.createElement('li');
    item.dataset['slot'] = String(photo.slot);
    const image = document.createElement('img');
    image.alt = '';
    image.width = image.height = 64;
    if (photo.shown) image.src = photo.shown;
    const text = document.createElement('div');
    const label = document.createElement('span');
    label.id = `photo-${photo.slot}`;
    label.textContent = this.#labelOf(photo, n);
    text.append(label);
    if (photo.state === 'preparing' || photo.state === 'sending') {
      const bar = document.createElement('progress');
      bar.setAttribute('aria-labelledby', label.id);
      if (photo.state === 'sending') bar.value = photo.share;
      text.append(bar);
    }
    item.append(image, text);
    const { again, remove } = this.#texts;
    if (photo.state === 'waiting')
      item.append(
        this.#button(again, `${again}: ${fill(this.#texts.photo, { n })}`, () => this.#send(photo)),
      );
    item.append(this.#button('×', fill(remove, { n }), () => this.#remove(photo)));
    return item;
  }

  #draw(): void {
    for (const list of this.#form.querySelectorAll<HTMLUListElement>('[data-shots]')) {
      const own = this.#photos.filter(({ question }) => question === list.dataset['shots']);
      list.replaceChildren(...own.map((photo) => this.#item(photo, this.#photos.indexOf(photo) + 1)));
    }
    const field = this.#form.querySelector<HTMLInputElement>('[name=photos]');
    if (field) field.value = this.#photos.map(({ slot, question }) => `${slot}:${question}`).join(',');
  }
}
