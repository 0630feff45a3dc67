// RUN: sr-opt %s -p fold-constants,fold-constants | filecheck %s
// RUN: sr-opt %s --pass-pipeline='builtin.module(fold-constants,func.func(fold-constants))' | filecheck %s
// RUN: sr-opt %s | sr-opt - | filecheck %s
// RUN: sr-opt %s -p fold-constants -o %t.mlir
// RUN: FileCheck --input-file %t.mlir %s
// RUN: sr-opt %s -p fold-constants,fold-constants -o /dev/null \
// RUN:   --print-ir-before-all --print-ir-after-all 2>&1 | filecheck %s --check-prefix=EACH
// RUN: not sr-opt %s -p fold-constant 2>&1 | filecheck %s --check-prefix=UNKNOWN
// RUN: not sr-opt %s -p 'fold-constants{speed=1}' 2>&1 | filecheck %s --check-prefix=OPTION
// RUN: not sr-opt no_such.mlir 2>&1 | filecheck %s --check-prefix=MISSING
// RUN: not sr-opt %S 2>&1 | filecheck %s --check-prefix=FOLDER
// RUN: not sr-opt %S/test_opt.py 2>&1 | filecheck %s --check-prefix=FORMAT
// RUN: not sr-opt %s -o %t.no_such/file.mlir 2>&1 | filecheck %s --check-prefix=NOWHERE

// Both spellings of a pipeline run it, and the result is the same in a file and in a pipe.
//
// CHECK-LABEL: func.func @f
// CHECK-NEXT:    func.return %x : f32

// The IR is shown around each pass, the last one too.
//
// EACH:      // -----// IR Dump Before FoldConstants (fold-constants) //----- //
// EACH:        func.return
// EACH:      // -----// IR Dump After FoldConstants (fold-constants) //----- //
// EACH:        func.return
// EACH:      // -----// IR Dump Before FoldConstants (fold-constants) //----- //
// EACH:      // -----// IR Dump After FoldConstants (fold-constants) //----- //
// EACH:        func.return

// What the user can mend is told in one line.
//
// UNKNOWN-NOT: Traceback
// UNKNOWN: sr-opt: expected a pass like fold-constants{{.*}}, got fold-constant
//
// OPTION-NOT: Traceback
// OPTION: sr-opt: expected fold-constants{{.*}}, got fold-constants{speed=1}
//
// MISSING-NOT: Traceback
// MISSING: sr-opt: cannot read no_such.mlir: No such file or directory
//
// FOLDER-NOT: Traceback
// FOLDER: sr-opt: cannot read {{.*}}tools: Is a directory
//
// FORMAT-NOT: Traceback
// FORMAT: sr-opt: {{.*}}test_opt.py: expected a file ending in .mlir, got .py
//
// NOWHERE-NOT: Traceback
// NOWHERE: sr-opt: cannot write {{.*}}file.mlir: No such file or directory
func.func @f(%x : f32) -> f32 {
  return %x : f32
}
