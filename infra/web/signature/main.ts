import { startPad } from './pad.ts';

startPad();
