/** Pixels of a line, as the page counts them. */
const LINE_WIDTH = 2.5;

/** Pixels on a side of the drawing: more than a report shows. */
const MAX_SIDE = 1_600;

/** Sets the size of a drawing by that of its field, which empties it. */
const prepare = (pad: HTMLCanvasElement, context: CanvasRenderingContext2D): void => {
  const { width, height } = pad.getBoundingClientRect();
  const scale = Math.min(window.devicePixelRatio || 1, MAX_SIDE / Math.max(width, height, 1));
  pad.width = Math.round(width * scale);
  pad.height = Math.round(height * scale);
  context.scale(scale, scale);
  context.lineWidth = LINE_WIDTH;
  context.lineCap = 'round';
  context.lineJoin = 'round';
};

/**
 * Lets the witness draw a signature with a finger, a pen or the mouse. The form sends it as a PNG. Everything else of
 * the page works without this program.
 */
export const startPad = (): void => {
  const form = document.querySelector<HTMLFormElement>('#report')!;
  const pad = document.querySelector<HTMLCanvasElement>('#pad')!;
  const problem = document.querySelector<HTMLElement>('#problem')!;
  const context = pad.getContext('2d');
  if (!context) return;
  let isDrawn = false;
  document.querySelector<HTMLElement>('#drawing')!.hidden = false;
  const fieldOf = (name: string) => form.elements.namedItem(name) as HTMLInputElement;
  const hasPicture = (): boolean => fieldOf('photos').value !== '';
  document.querySelector<HTMLDetailsElement>('#picture')!.open = hasPicture();
  const clear = (): void => {
    prepare(pad, context);
    isDrawn = false;
  };
  clear();
  const lineTo = ({ clientX, clientY }: PointerEvent): void => {
    const { left, top } = pad.getBoundingClientRect();
    context.lineTo(clientX - left, clientY - top);
    context.stroke();
    isDrawn = true;
  };
  pad.addEventListener('pointerdown', (event) => {
    if (!event.isPrimary || event.button !== 0) return;
    pad.setPointerCapture(event.pointerId);
    context.beginPath();
    const { left, top } = pad.getBoundingClientRect();
    context.moveTo(event.clientX - left, event.clientY - top);
    // A dot is a line as well.
    lineTo(event);
  });
  pad.addEventListener('pointermove', (event) => {
    if (event.isPrimary && pad.hasPointerCapture(event.pointerId)) lineTo(event);
  });
  document.querySelector<HTMLElement>('#clear')!.addEventListener('click', clear);
  // A drawing does not survive another size. A phone shows and hides its bars, which changes the height alone.
  let { innerWidth } = window;
  window.addEventListener('resize', () => {
    if (window.innerWidth === innerWidth) return;
    ({ innerWidth } = window);
    clear();
  });
  form.addEventListener('submit', (event) => {
    if ((event.submitter as HTMLButtonElement | null)?.value !== 'sign') return;
    if (!isDrawn && !hasPicture()) {
      event.preventDefault();
      problem.textContent = form.dataset['missing']!;
      problem.focus();
      return;
    }
    fieldOf('drawing').value = isDrawn ? pad.toDataURL('image/png').replace(/^[^,]*,/, '') : '';
  });
};
