// RUN: sr-opt %s -p eliminate-list-constructs --split-input-file --verify-diagnostics | filecheck %s

// What is concatenated are the elements, and there is no list.
//
// CHECK-LABEL: func.func @concat
// CHECK-NEXT:    %[[R:.*]] = graph.concat %a, %b {axis = 0 : i64} : tensor<2xf32>, tensor<3xf32> -> tensor<5xf32>
// CHECK-NEXT:    return %[[R]]
func.func @concat(%a : tensor<2xf32>, %b : tensor<3xf32>) -> tensor<5xf32> {
  %0 = graph.list_construct %a, %b : tensor<2xf32>, tensor<3xf32> -> !graph.list<tensor<2xf32>, tensor<3xf32>>
  %1 = graph.concat_list %0 {axis = 0 : i64} : !graph.list<tensor<2xf32>, tensor<3xf32>> -> tensor<5xf32>
  return %1 : tensor<5xf32>
}

// What comes out of a container of any kind is what went in.
//
// CHECK-LABEL: func.func @every_kind
// CHECK-NEXT:    return %b, %a, %b
func.func @every_kind(%a : tensor<2xf32>, %b : tensor<3xf32>) -> (tensor<3xf32>, tensor<2xf32>, tensor<3xf32>) {
  %0 = graph.list_construct %a, %b : tensor<2xf32>, tensor<3xf32> -> !graph.list<tensor<2xf32>, tensor<3xf32>>
  %1, %2 = graph.list_unpack %0 : !graph.list<tensor<2xf32>, tensor<3xf32>> -> tensor<2xf32>, tensor<3xf32>
  %3 = graph.tuple_construct %a, %b : tensor<2xf32>, tensor<3xf32> -> !graph.tuple<tensor<2xf32>, tensor<3xf32>>
  %4 = graph.tuple_get %3 {index = 0 : i64} : !graph.tuple<tensor<2xf32>, tensor<3xf32>> -> tensor<2xf32>
  %5 = graph.dict_construct %a, %b {keys = ["x", "y"]} : tensor<2xf32>, tensor<3xf32> -> !graph.dict<"x", tensor<2xf32>, "y", tensor<3xf32>>
  %6 = graph.dict_get %5 {key = "y"} : !graph.dict<"x", tensor<2xf32>, "y", tensor<3xf32>> -> tensor<3xf32>
  return %2, %4, %6 : tensor<3xf32>, tensor<2xf32>, tensor<3xf32>
}

// Containers within containers go too.
//
// CHECK-LABEL: func.func @nested
// CHECK-NEXT:    return %b
func.func @nested(%a : tensor<2xf32>, %b : tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.tuple_construct %a, %b : tensor<2xf32>, tensor<3xf32> -> !graph.tuple<tensor<2xf32>, tensor<3xf32>>
  %1 = graph.list_construct %0 : !graph.tuple<tensor<2xf32>, tensor<3xf32>> -> !graph.list<!graph.tuple<tensor<2xf32>, tensor<3xf32>>>
  %2 = graph.list_unpack %1 : !graph.list<!graph.tuple<tensor<2xf32>, tensor<3xf32>>> -> !graph.tuple<tensor<2xf32>, tensor<3xf32>>
  %3 = graph.tuple_get %2 {index = 1 : i64} : !graph.tuple<tensor<2xf32>, tensor<3xf32>> -> tensor<3xf32>
  return %3 : tensor<3xf32>
}

// A container among the arguments is its elements, in their order and in its place.
//
// CHECK-LABEL: func.func @arguments
// CHECK-SAME:      (%x: tensor<1xf32>, %{{.*}}: tensor<2xf32>, %[[B:.*]]: tensor<3xf32>, %{{.*}}: tensor<4xf32>, %y: tensor<5xf32>)
// CHECK-NEXT:    return %[[B]]
func.func @arguments(%x : tensor<1xf32>, %l : !graph.list<tensor<2xf32>, !graph.tuple<tensor<3xf32>, tensor<4xf32>>>, %y : tensor<5xf32>) -> tensor<3xf32> {
  %0, %1 = graph.list_unpack %l : !graph.list<tensor<2xf32>, !graph.tuple<tensor<3xf32>, tensor<4xf32>>> -> tensor<2xf32>, !graph.tuple<tensor<3xf32>, tensor<4xf32>>
  %2 = graph.tuple_get %1 {index = 0 : i64} : !graph.tuple<tensor<3xf32>, tensor<4xf32>> -> tensor<3xf32>
  return %2 : tensor<3xf32>
}

// So is one among the results.
//
// CHECK-LABEL: func.func @results
// CHECK-SAME:      -> (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>)
// CHECK-NEXT:    return %a, %b, %a
func.func @results(%a : tensor<2xf32>, %b : tensor<3xf32>) -> (tensor<2xf32>, !graph.dict<"x", tensor<3xf32>, "y", !graph.list<tensor<2xf32>>>) {
  %0 = graph.list_construct %a : tensor<2xf32> -> !graph.list<tensor<2xf32>>
  %1 = graph.dict_construct %b, %0 {keys = ["x", "y"]} : tensor<3xf32>, !graph.list<tensor<2xf32>> -> !graph.dict<"x", tensor<3xf32>, "y", !graph.list<tensor<2xf32>>>
  return %a, %1 : tensor<2xf32>, !graph.dict<"x", tensor<3xf32>, "y", !graph.list<tensor<2xf32>>>
}

// One that was an element of another has elements as well.
//
// CHECK-LABEL: func.func @element_is_returned
// CHECK-SAME:      (%[[A:.*]]: tensor<2xf32>, %{{.*}}: tensor<3xf32>) -> tensor<2xf32>
// CHECK-NEXT:    return %[[A]]
func.func @element_is_returned(%l : !graph.list<!graph.tuple<tensor<2xf32>>, tensor<3xf32>>) -> !graph.tuple<tensor<2xf32>> {
  %0, %1 = graph.list_unpack %l : !graph.list<!graph.tuple<tensor<2xf32>>, tensor<3xf32>> -> !graph.tuple<tensor<2xf32>>, tensor<3xf32>
  return %0 : !graph.tuple<tensor<2xf32>>
}

// Without containers there is nothing to do.
//
// CHECK-LABEL: func.func @tensors
// CHECK-SAME:      (%x: tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT:    graph.relu %x
func.func @tensors(%x : tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.relu %x : tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Nobody knows what a call puts into a list.
func.func private @callee(tensor<2xf32>) -> !graph.list<tensor<2xf32>>
func.func @comes_from_a_call(%x : tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @callee(%x) : (tensor<2xf32>) -> !graph.list<tensor<2xf32>>
  // expected-error {{expected a container that is constructed, got !graph.list<tensor<2xf32>>}}
  %1 = graph.list_unpack %0 : !graph.list<tensor<2xf32>> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// A container that is left is refused, used or not.
func.func private @callee(tensor<2xf32>) -> !graph.list<tensor<2xf32>>
func.func @is_left(%x : tensor<2xf32>) -> tensor<2xf32> {
  // expected-error {{expected no container after eliminate-list-constructs, got !graph.list<tensor<2xf32>> at func.call}}
  %0 = func.call @callee(%x) : (tensor<2xf32>) -> !graph.list<tensor<2xf32>>
  return %x : tensor<2xf32>
}
