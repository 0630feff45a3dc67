// RUN: sr-opt %s --split-input-file --verify-diagnostics | filecheck %s

// The type of a container names the types of all its elements.
//
// CHECK-LABEL: func.func @round_trip
// CHECK:         %[[LIST:.*]] = graph.list_construct %a, %b : tensor<2xf32>, tensor<3xi64> -> !graph.list<tensor<2xf32>, tensor<3xi64>>
// CHECK:         %{{.*}}, %{{.*}} = graph.list_unpack %[[LIST]] : !graph.list<tensor<2xf32>, tensor<3xi64>> -> tensor<2xf32>, tensor<3xi64>
// CHECK:         %[[TUPLE:.*]] = graph.tuple_construct %a, %b : tensor<2xf32>, tensor<3xi64> -> !graph.tuple<tensor<2xf32>, tensor<3xi64>>
// CHECK:         graph.tuple_get %[[TUPLE]] {index = 1 : i64} : !graph.tuple<tensor<2xf32>, tensor<3xi64>> -> tensor<3xi64>
// CHECK:         %[[DICT:.*]] = graph.dict_construct %a, %b {keys = ["x", "y"]} : tensor<2xf32>, tensor<3xi64> -> !graph.dict<"x", tensor<2xf32>, "y", tensor<3xi64>>
// CHECK:         graph.dict_get %[[DICT]] {key = "y"} : !graph.dict<"x", tensor<2xf32>, "y", tensor<3xi64>> -> tensor<3xi64>
func.func @round_trip(%a : tensor<2xf32>, %b : tensor<3xi64>) {
  %0 = graph.list_construct %a, %b : tensor<2xf32>, tensor<3xi64> -> !graph.list<tensor<2xf32>, tensor<3xi64>>
  %1, %2 = graph.list_unpack %0 : !graph.list<tensor<2xf32>, tensor<3xi64>> -> tensor<2xf32>, tensor<3xi64>
  %3 = graph.tuple_construct %a, %b : tensor<2xf32>, tensor<3xi64> -> !graph.tuple<tensor<2xf32>, tensor<3xi64>>
  %4 = graph.tuple_get %3 {index = 1 : i64} : !graph.tuple<tensor<2xf32>, tensor<3xi64>> -> tensor<3xi64>
  %5 = graph.dict_construct %a, %b {keys = ["x", "y"]} : tensor<2xf32>, tensor<3xi64> -> !graph.dict<"x", tensor<2xf32>, "y", tensor<3xi64>>
  %6 = graph.dict_get %5 {key = "y"} : !graph.dict<"x", tensor<2xf32>, "y", tensor<3xi64>> -> tensor<3xi64>
  return
}

// -----

// A container holds tensors of unknown size, containers, or nothing.
//
// CHECK-LABEL: func.func @symbols
// CHECK:         %[[INNER:.*]] = graph.tuple_construct %x : tensor<?xf32, ["n"]> -> !graph.tuple<tensor<?xf32, ["n"]>>
// CHECK:         graph.list_construct %[[INNER]] : !graph.tuple<tensor<?xf32, ["n"]>> -> !graph.list<!graph.tuple<tensor<?xf32, ["n"]>>>
// CHECK:         graph.list_construct : -> !graph.list<>
func.func @symbols(%x : tensor<?xf32, ["n"]>) {
  %0 = graph.tuple_construct %x : tensor<?xf32, ["n"]> -> !graph.tuple<tensor<?xf32, ["n"]>>
  %1 = graph.list_construct %0 : !graph.tuple<tensor<?xf32, ["n"]>> -> !graph.list<!graph.tuple<tensor<?xf32, ["n"]>>>
  %2 = graph.list_construct : -> !graph.list<>
  return
}

// -----

// The list has just the elements that it is made of.
func.func @list_of_another_type(%a : tensor<2xf32>) {
  // expected-error {{expected result type !graph.list<tensor<2xf32>>, got !graph.list<tensor<2xf32>, tensor<2xf32>>}}
  %0 = graph.list_construct %a : tensor<2xf32> -> !graph.list<tensor<2xf32>, tensor<2xf32>>
  return
}

// -----

// Unpacking gives every element.
func.func @unpacked_in_part(%l : !graph.list<tensor<2xf32>, tensor<3xf32>>) {
  // expected-error {{expected result type tensor<2xf32>, tensor<3xf32>, got tensor<2xf32>}}
  %0 = graph.list_unpack %l : !graph.list<tensor<2xf32>, tensor<3xf32>> -> tensor<2xf32>
  return
}

// -----

// An index counts from the front.
func.func @index_out_of_range(%t : !graph.tuple<tensor<2xf32>>) {
  // expected-error {{expected an index below 1, got 1}}
  %0 = graph.tuple_get %t {index = 1 : i64} : !graph.tuple<tensor<2xf32>> -> tensor<2xf32>
  return
}

// -----

func.func @negative_index(%t : !graph.tuple<tensor<2xf32>>) {
  // expected-error {{expected an index below 1, got -1}}
  %0 = graph.tuple_get %t {index = -1 : i64} : !graph.tuple<tensor<2xf32>> -> tensor<2xf32>
  return
}

// -----

// A key is one of the dictionary's.
func.func @unknown_key(%d : !graph.dict<"mask", tensor<2xf32>>) {
  // expected-error {{expected a key among ['mask'], got 'score'}}
  %0 = graph.dict_get %d {key = "score"} : !graph.dict<"mask", tensor<2xf32>> -> tensor<2xf32>
  return
}

// -----

// There is one key for each element.
func.func @too_few_keys(%a : tensor<2xf32>) {
  // expected-error {{expected keys that differ, got ["x"]}}
  %0 = graph.dict_construct %a, %a {keys = ["x"]} : tensor<2xf32>, tensor<2xf32> -> !graph.dict<"x", tensor<2xf32>>
  return
}

// -----

// No key is there twice, which the type of a dictionary refuses by itself.
//
// expected-error @below {{expected keys that differ, got ["x", "x"]}}
func.func @equal_keys(%d : !graph.dict<"x", tensor<2xf32>, "x", tensor<2xf32>>) {
  return
}
