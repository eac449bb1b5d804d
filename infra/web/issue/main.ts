import { startReport } from './report.ts';

startReport();
